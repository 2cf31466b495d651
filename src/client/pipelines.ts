import type { FlowFailure } from '../core/flow.ts';
import type { PermissionMode } from '../core/permission.ts';
import type { Flow } from '../schema/flow.ts';

/** Work of several agents as data: started here, and carried out by the workers, whatever ends meanwhile. */
export interface Pipelines {
  /**
   * Starts one. A repeat under the same id starts nothing, and answers the one that is there.
   *
   * @throws DurascopeError `invalid_input` naming the place in the flow; `conflict` when the one of this id is another; `temporal_unavailable`.
   * @example
   * const pipeline = await durascope.pipelines.start({
   *   owner: 'acme',
   *   input: 'Whales',
   *   flow: { kind: 'pipeline', steps: [{ kind: 'turn', agent: 'researcher' }, { kind: 'turn', agent: 'writer' }] },
   * });
   * console.log((await pipeline.result()).text);
   */
  start(options: PipelineOptions): Promise<Pipeline>;
  /** One that was started: nothing is asked yet. */
  get(owner: string, id: string): Pipeline;
  /** All of the owner's that Temporal keeps, newest first, page by page underneath. One that was just started may show a moment later. */
  list(owner: string): AsyncIterable<PipelineSummary>;
}

export interface PipelineSummary {
  id: string;
  state: PipelineStatus['state'];
  /** ISO times. */
  startedAt: string;
  endedAt?: string;
}

export interface PipelineOptions {
  owner: string;
  /** Up to 60 characters; its sessions are named after it. Default: a new one. */
  id?: string;
  flow: Flow;
  input: string;
  /** The mode of its sessions: `dont_ask` where nobody is there to be asked. Default: as their agents say. */
  permissionMode?: PermissionMode;
  /** Who asks: approval policies may want it to be, or not to be, who answers. Absent: nobody can answer under four eyes. */
  actor?: string;
}

export interface Pipeline {
  readonly owner: string;
  readonly id: string;
  /** Waits for its end. Never throws because of how it ended. @throws DurascopeError `not_found`. */
  result(): Promise<PipelineAnswer>;
  status(): Promise<PipelineStatus>;
  /** Interrupts the turns that run, and ends it. */
  cancel(): Promise<void>;
}

export interface PipelineAnswer {
  state: 'done' | 'failed' | 'cancelled';
  /** Where and why it failed. */
  error?: string;
  /** What its last step said, all of it; empty when it failed. Of several that stand side by side, each under a heading. */
  text: string;
  /** Items of fan-outs that failed, where others did not. */
  failures: FlowFailure[];
  /** Turns that answered; absent where it failed or was cancelled. */
  turns?: number;
}

export interface PipelineStatus {
  state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Turns that answered, and those that run. Absent where no worker answers. */
  turns?: number;
  running?: number;
}
