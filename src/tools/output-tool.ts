import { outputToolName } from '../core/output-tool.ts';
import type { Json } from '../schema/message.ts';
import { defineTool } from './define-tool.ts';
import type { Tool } from './tool.ts';

/** @param schema JSON Schema of type object that the answer must fit. */
export function outputTool(schema: Record<string, Json>): Tool {
  return defineTool({
    name: outputToolName,
    description:
      'Gives your final answer to the user, in the form that they need. Call it once, when all else is done: its arguments are the answer, and nothing follows it.',
    input: schema,
    readOnly: true,
    execute: () => 'The answer is recorded.',
  });
}
