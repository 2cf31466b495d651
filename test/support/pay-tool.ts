import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A tool that asks before it acts, and has nothing else to it. */
export const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({}),
  permission: 'ask',
  execute: () => 'paid',
});
