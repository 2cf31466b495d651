import { createHash, randomUUID } from 'node:crypto';
import { CancelledFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { WorkflowFailedError, type WorkflowExecutionStatusName } from '@temporalio/client';
import { isValidId } from '../contracts/ids.ts';
import {
  pipelineQuery,
  pipelineWorkflowId,
  type PipelineInput,
  type PipelineResult,
} from '../contracts/flow.ts';
import { actorIdRule, isActorId } from '../core/approval.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { spread, type FlowReply } from '../core/flow.ts';
import { isPermissionMode, permissionModes } from '../core/permission.ts';
import { Flow } from '../schema/flow.ts';
import type { Json } from '../schema/message.ts';
import { callTemporal } from './call-temporal.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import { DurascopeError } from './durascope-error.ts';
import type {
  Pipeline,
  PipelineAnswer,
  PipelineOptions,
  Pipelines,
  PipelineStatus,
  PipelineSummary,
} from './pipelines.ts';
import { plainText } from './plain-text.ts';
import type { ClientContext } from './temporal-client.ts';

const maxIdLength = 60;
/** Of the flow and its input together: they are carried from run to run. */
const maxBytes = 500_000;
/** Answers that are read at once. */
const readAtOnce = 20;

export class TemporalPipelines implements Pipelines {
  readonly #context: ClientContext;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  async start(options: PipelineOptions): Promise<Pipeline> {
    const input = checked(options);
    const { owner, id } = input;
    try {
      await callTemporal(this.#context, () =>
        this.#context.temporal.workflow.start('agentPipeline', {
          workflowId: pipelineWorkflowId(input),
          taskQueue: this.#context.taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          memo: { digest: digestOf(input), startedAt: new Date().toISOString() },
          staticSummary: `pipeline ${id} of ${owner}`,
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#mustBeSame(input, error);
    }
    return this.get(owner, id);
  }

  get(owner: string, id: string): Pipeline {
    return new TemporalPipeline(this.#context, owner, id);
  }

  async *list(owner: string): AsyncGenerator<PipelineSummary, void, void> {
    if (!isValidId(owner)) throw invalid(`owner ${JSON.stringify(owner)} is not valid`);
    const prefix = pipelineWorkflowId({ owner, id: '' });
    const query = `WorkflowType = "agentPipeline" AND WorkflowId STARTS_WITH "${prefix}" AND ExecutionStatus != "ContinuedAsNew"`;
    for await (const run of this.#context.temporal.workflow.list({ query })) {
      const { workflowId, status, memo, startTime, closeTime } = run;
      yield {
        id: workflowId.slice(prefix.length),
        state: stateOf(status.name),
        // It may have continued as new.
        startedAt: (memo?.['startedAt'] as string | undefined) ?? startTime.toISOString(),
        ...(closeTime ? { endedAt: closeTime.toISOString() } : {}),
      };
    }
  }

  async #mustBeSame(input: PipelineInput, cause: unknown): Promise<void> {
    const handle = this.#context.temporal.workflow.getHandle(pipelineWorkflowId(input));
    const { memo } = await callTemporal(this.#context, () => handle.describe());
    if (memo?.['digest'] === digestOf(input)) return;
    throw new DurascopeError(
      'conflict',
      `There is a pipeline ${input.id} of ${input.owner} with another flow, input or mode: take another id`,
      { cause },
    );
  }
}

function stateOf(status: WorkflowExecutionStatusName): PipelineStatus['state'] {
  switch (status) {
    case 'RUNNING':
    case 'PAUSED':
    case 'CONTINUED_AS_NEW':
      return 'running';
    case 'COMPLETED':
      return 'done';
    case 'CANCELLED':
      return 'cancelled';
    default:
      return 'failed';
  }
}

function digestOf({ flow, input, permissionMode }: PipelineInput): string {
  const text = canonicalJson(JSON.parse(JSON.stringify({ flow, input, permissionMode })) as Json);
  return createHash('sha256').update(text).digest('hex');
}

class TemporalPipeline implements Pipeline {
  readonly owner: string;
  readonly id: string;
  readonly #context: ClientContext;

  constructor(context: ClientContext, owner: string, id: string) {
    this.#context = context;
    this.owner = owner;
    this.id = id;
  }

  async result(): Promise<PipelineAnswer> {
    try {
      const { value, turns } = (await this.#handle().result()) as PipelineResult;
      const texts: string[] = [];
      const parts = spread(value);
      for (let i = 0; i < parts.length; i += readAtOnce) {
        const some = parts.slice(i, i + readAtOnce);
        texts.push(
          ...(await Promise.all(
            some.map(async (part) => (part.type === 'text' ? part.text : this.#read(part))),
          )),
        );
      }
      return { state: 'done', text: texts.join(''), failures: value.failures, turns };
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw this.#known(error);
      const { cause } = error;
      const isCancelled = cause instanceof CancelledFailure;
      const why = isCancelled ? 'it was cancelled' : (cause?.message ?? error.message);
      const state = isCancelled ? ('cancelled' as const) : ('failed' as const);
      return { state, error: why, text: '', failures: [] };
    }
  }

  async status(): Promise<PipelineStatus> {
    try {
      const { status } = await callTemporal(this.#context, () => this.#handle().describe());
      const state = stateOf(status.name);
      if (state !== 'running') return { state };
      const view = await this.#handle()
        .query(pipelineQuery)
        .catch(() => undefined);
      return { state, ...(view ? { turns: view.turns, running: view.running } : {}) };
    } catch (error) {
      throw this.#known(error);
    }
  }

  async cancel(): Promise<void> {
    try {
      await callTemporal(this.#context, () => this.#handle().cancel());
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #read({ sessionId, messageId, text, isPartial }: FlowReply): Promise<string> {
    if (isPartial !== true) return text;
    const { messages } = this.#context.content.store;
    const message = await messages.get({ owner: this.owner, sessionId }, messageId);
    return message ? plainText(message.content) : text;
  }

  #handle() {
    return this.#context.temporal.workflow.getHandle(pipelineWorkflowId(this));
  }

  #known(error: unknown): unknown {
    if (!isNotFound(error)) return error;
    const message = `There is no pipeline ${this.id} of ${this.owner}: was it started?`;
    return new DurascopeError('not_found', message, { cause: error });
  }
}

function checked({
  owner,
  id = randomUUID(),
  flow,
  input,
  permissionMode,
  actor,
}: PipelineOptions): PipelineInput {
  if (!isValidId(owner)) throw invalid(`owner ${JSON.stringify(owner)} is not valid`);
  if (!isValidId(id) || id.length > maxIdLength)
    throw invalid(
      `id ${JSON.stringify(id)} is not valid: write up to ${maxIdLength} letters, digits, . _ : @ -`,
    );
  if (typeof input !== 'string' || input.trim() === '')
    throw invalid('input is empty: write what is to be done');
  if (permissionMode !== undefined && !isPermissionMode(permissionMode))
    throw invalid(
      `permissionMode is ${JSON.stringify(permissionMode)}: it must be one of ${permissionModes.join(', ')}`,
    );
  if (actor !== undefined && !isActorId(actor)) throw invalid(`actor must be a name ${actorIdRule}`);
  const parsed = Flow.safeParse(flow);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `flow${pathOf(path)}: ${message}`);
    throw invalid(`The flow can't be carried out: ${issues.join('; ')}`);
  }
  const plan = {
    owner,
    id,
    flow: parsed.data,
    input,
    ...(permissionMode ? { permissionMode } : {}),
    ...(actor === undefined ? {} : { actor }),
  };
  const bytes = Buffer.byteLength(JSON.stringify(plan));
  if (bytes > maxBytes)
    throw invalid(
      `flow and input have ${bytes} bytes, above the limit of ${maxBytes}: keep large texts where a tool can read them`,
    );
  return plan;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}

function invalid(message: string): DurascopeError {
  return new DurascopeError('invalid_input', message);
}
