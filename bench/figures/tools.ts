import type { Figure, Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { toolList } from './tools-list.ts';
import { mcpCall } from './tools-mcp-call.ts';
import { workspaceFigures } from './tools-workspace.ts';

/** What tools from outside and from the box cost. */
export const tools: Figure = {
  name: 'tools',
  async measure(stage: Stage): Promise<Row[]> {
    return [...(await toolList(stage)), await mcpCall(stage), ...(await workspaceFigures(stage.isQuick))];
  },
};
