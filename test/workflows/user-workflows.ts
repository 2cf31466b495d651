// Workflow code: workflows as a user writes them. Imports the public entry and @temporalio/workflow only.
import { ApplicationFailure } from '@temporalio/workflow';
import { fanOut, loop, pipeline, runTurn, type TurnReply } from '../../src/workflow.ts';

type Text = string | TurnReply;

/** What each of these agents makes of the answer before it. */
export async function relay(owner: string, agents: string[], input: string): Promise<string> {
  const steps = agents.map(
    (agent) =>
      (before: Text): Promise<Text> =>
        runTurn(agent, before, { owner }),
  );
  const last = await pipeline(steps)(input);
  return typeof last === 'string' ? last : last.text;
}

export async function conversation(owner: string, session: string, inputs: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const input of inputs) texts.push((await runTurn('writer', input, { owner, session })).text);
  return texts;
}

export async function onBehalf(owner: string, actor: string, session: string): Promise<string> {
  const before = await runTurn('critic', 'Advise', { owner, actor });
  return (await runTurn('banker', before, { owner, actor, session })).text;
}

export async function untilGood(owner: string, limit: number): Promise<string> {
  const revise = (before: Text): Promise<Text> => runTurn('writer', ['Improve:', before], { owner });
  const isGood = (now: Text) => typeof now === 'object' && now.text.includes('good');
  const last = await loop(revise, { limit, until: isGood })('x');
  return typeof last === 'string' ? last : last.text;
}

export async function forEach(owner: string, items: string[], concurrency: number): Promise<string[]> {
  const run = fanOut((item: string) => runTurn('writer', item, { owner }), { concurrency });
  return (await run(items)).map((one) => (one.isDone ? one.value.text : `failed: ${one.error.message}`));
}

export async function structured(owner: string): Promise<unknown> {
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  return (await runTurn('writer', 'Count', { owner, output })).output;
}

export async function tellFailure(owner: string, agent: string): Promise<TurnReply | string> {
  try {
    return await runTurn(agent, 'Fail', { owner });
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return error.type === 'TurnFailed'
      ? (error.details?.[0] as TurnReply)
      : `${error.type}: ${error.message}`;
  }
}
