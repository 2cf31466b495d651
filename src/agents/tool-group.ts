import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';

/** Tools that a model has only while their group is active: it chooses groups with `reset_tools`. An agent's other tools are always on. */
export interface ToolGroup {
  /** Tells the model when to activate it. */
  readonly description: string;
  /** How its tools are to be used: given when it is activated. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly ToolSource[];
}

/** By name: letters, digits, `_` and `-`. `basic` stands for what is always on. */
export type ToolGroups = Readonly<Record<string, ToolGroup>>;
