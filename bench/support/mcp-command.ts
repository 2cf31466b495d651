import { fileURLToPath } from 'node:url';

/** Starts the server whose tool both contenders call. */
export const mcpCommand = {
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('mcp-process.ts', import.meta.url))],
};
