import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const index = new URL('../../src/index.ts', import.meta.url).href;

export interface Project {
  folder: string;
  write(file: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** A folder with a config of one agent, `support`, that comes from a file of its own. */
export async function aProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'durascope-cli-'));
  const project: Project = {
    folder,
    async write(file, text) {
      await mkdir(join(folder, file, '..'), { recursive: true });
      await writeFile(join(folder, file), text);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await project.write('durascope.config.ts', aConfig());
  await project.write('agents/support.ts', anAgent());
  return project;
}

export function aConfig(more = ''): string {
  return `import { defineConfig } from '${index}';
import { support } from './agents/support.ts';
export default defineConfig({ agents: [support], ${more} });
`;
}

export function anAgent(instructions = 'Be brief.'): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
import { askUser, defineAgent, defineTool } from '${index}';
const input = { type: 'object' as const, properties: { orderId: { type: 'string' } }, required: ['orderId'] };
const refund = defineTool({
  name: 'refund', description: 'Refunds an order', input, permission: 'ask', idempotent: true,
  suggestRules: ({ orderId }: any) => [
    { tool: 'refund', pattern: 'orderId=' + orderId, behavior: 'allow' as const },
    { tool: 'refund', behavior: 'allow' as const },
  ],
  async execute({ orderId }: any) { console.log('noise of a tool'); return 'refunded ' + orderId; },
});
const close = defineTool({
  name: 'close', description: 'Closes an account', input: { type: 'object' as const }, permission: 'ask',
  approval: { by: 'not_requester' }, execute: () => 'closed',
});
const ship = defineTool({
  name: 'ship', description: 'Ships an order', input, permission: 'allow', external: true,
});
const charge = defineTool({
  name: 'charge', description: 'Charges for an order', input, permission: 'allow', concurrencySafe: true,
  async execute({ orderId }: any) {
    if (existsSync('charged-' + orderId)) return 'charged again';
    writeFileSync('charged-' + orderId, '');
    console.log('charging ' + orderId);
    await new Promise(() => {});
    return '';
  },
});
export const support = defineAgent({
  name: 'support', model: 'openai/gpt-test', instructions: ${JSON.stringify(instructions)}, tools: [refund, close, ship, charge, askUser()], maxModelAttempts: 2,
});
`;
}
