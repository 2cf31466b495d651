import { defineQuery } from '@temporalio/workflow';
import type { Requesters } from '../core/approval.ts';
import type { PermissionMode } from '../core/permission.ts';
import type { FlowFailure, FlowValue } from '../core/flow.ts';
import type { Flow } from '../schema/flow.ts';
import type { TurnContent } from './child-turns.ts';

export interface PipelineInput {
  owner: string;
  /** Its sessions are named `<id>.<place in the flow>`. */
  id: string;
  flow: Flow;
  input: string;
  /** The mode that its sessions get. */
  permissionMode?: PermissionMode;
  /** Who started it. */
  actor?: string;
  /** Set by the pipeline itself when it continues as new. */
  carry?: PipelineCarry;
}

/** What is done already, by its place in the flow; what lies inside of something that is done is left out. */
export interface PipelineCarry {
  done: [place: string, value: FlowValue][];
  turns: number;
  /** Who wrote into its turns so far. */
  requesters?: Requesters;
}

export interface PipelineResult {
  value: FlowValue;
  /** Turns that answered. */
  turns: number;
}

export interface PipelineView {
  turns: number;
  running: number;
  failures: FlowFailure[];
}
export const pipelineQuery = defineQuery<PipelineView>('pipeline');

export interface FlowActivities {
  /** Splits a text into the items of a fan-out. */
  listItems(input: {
    owner: string;
    id: string;
    content: TurnContent;
    from: 'lines' | 'json';
  }): Promise<string[]>;
}

export function pipelineWorkflowId({ owner, id }: { owner: string; id: string }): string {
  return `pipeline/${owner}/${id}`;
}
