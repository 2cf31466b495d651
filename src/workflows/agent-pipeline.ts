// Workflow code: a flow that is plain data, from its start to its answer. Imports contracts, core and @temporalio/workflow only.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { failure } from '../contracts/failures.ts';
import { pipelineQuery, type PipelineInput, type PipelineResult } from '../contracts/flow.ts';
import type { FlowValue } from '../core/flow.ts';
import { FlowRunner } from './flow-runner.ts';
import { mustRotate } from './must-rotate.ts';

/** How long turns that run are waited for when a run is long enough: one may wait at a gate for days, and must not hold up the others. */
const drainMs = 60_000;
/** Then another attempt is made past this many events more; past the last mark they are waited for however long it takes. */
const drainEveryEvents = 1000;
const lastEvents = 8000;
/** What is carried to another run must stay below Temporal's limit of 2 MB. */
const maxCarryCharacters = 1_500_000;

export async function agentPipeline(input: PipelineInput): Promise<PipelineResult> {
  const runner = new FlowRunner(input);
  setHandler(pipelineQuery, () => ({
    turns: runner.turns,
    running: runner.running,
    failures: runner.failures.slice(-100),
  }));
  let ending: { value: FlowValue } | { error: unknown } | undefined;
  const flow = runner.run().then(
    (value) => void (ending = { value }),
    (error: unknown) => void (ending = { error }),
  );
  try {
    await runOrRotate(input, runner, () => ending !== undefined);
  } catch (error) {
    // A cancelled pipeline ends when its turns have.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => flow);
    throw error;
  }
  if (ending && 'error' in ending) throw ending.error;
  return { value: ending?.value ?? { parts: [], failures: [] }, turns: runner.turns };
}

async function runOrRotate(input: PipelineInput, runner: FlowRunner, hasEnded: () => boolean): Promise<void> {
  let mark = 0;
  for (;;) {
    setCurrentDetails(describe(runner));
    const shown = runner.turns;
    await condition(
      () => hasEnded() || runner.turns >= shown + 10 || (mustRotate() && workflowInfo().historyLength > mark),
    );
    if (hasEnded()) return;
    if (!mustRotate() || workflowInfo().historyLength <= mark) continue;

    runner.isDraining = true;
    const isDrained = () => hasEnded() || runner.running === 0;
    if (workflowInfo().historyLength > lastEvents) await condition(isDrained);
    else if (!(await condition(isDrained, drainMs, { summary: 'turns that run' }))) {
      mark = workflowInfo().historyLength + drainEveryEvents;
      runner.isDraining = false;
      continue;
    }
    if (hasEnded()) return;
    await continueAsNew<typeof agentPipeline>({ ...input, carry: carryOf(runner) });
  }
}

function carryOf(runner: FlowRunner): NonNullable<PipelineInput['carry']> {
  const { carry } = runner;
  const characters = JSON.stringify(carry).length;
  if (characters <= maxCarryCharacters) return carry;
  throw ApplicationFailure.nonRetryable(
    `What is done takes ${characters} characters, above the limit of ${maxCarryCharacters}: fan out over fewer items, or sum up in between`,
    failure.tooLarge,
  );
}

function describe({ turns, running, failures }: FlowRunner): string {
  const failed = failures.length === 0 ? '' : `, ${failures.length} failed`;
  const last = failures.slice(-10).map(({ place, message }) => `- ${place}: ${message}`);
  return [`**running** · ${turns} turns done${failed}, ${running} run now`, '', ...last].join('\n');
}
