import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Latch } from './latch.ts';

/** A read-only tool that says when it runs, and holds until the test lets go. The latches are asked for at each call: a test may renew them. */
export function holdTool(latches: () => { entered: Latch; gate: Latch }, tells?: string) {
  return defineTool({
    name: 'hold',
    description: 'Holds until the test lets go',
    input: z.object({}),
    readOnly: true,
    async execute(_, { progress }) {
      const { entered, gate } = latches();
      if (tells !== undefined) progress({ message: tells });
      entered.open();
      await gate.promise;
      return 'held';
    },
  });
}
