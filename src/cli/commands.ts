/** The commands of `durascope`, in the order of its help. Nothing else is imported here: checks of deployment files read it. */
export const commandNames = [
  'dev',
  'worker',
  'serve',
  'run',
  'chat',
  'sessions',
  'show',
  'gates',
  'confirm',
  'deny',
  'result',
  'reconcile',
  'audit',
  'interrupt',
  'steer',
  'tools',
  'skills',
  'workspace',
  'mcp',
  'doctor',
] as const;
export type CommandName = (typeof commandNames)[number];
