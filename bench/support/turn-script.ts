import { setTimeout as delay } from 'node:timers/promises';
import { calls, says, type ScriptedCall, type ScriptedRequest, type Step } from '../../src/testing/index.ts';

/** What a turn of the benchmarks does. It travels as the user's input, so that every contender's endpoint answers alike. */
export interface TurnScript {
  /** One of its own for each turn. */
  id: string;
  steps: number;
  /** Tool calls of one step, side by side. */
  calls: number;
  /** Of one tool's result. */
  bytes: number;
  /** How long the model thinks before it answers, in milliseconds. */
  thinkMs?: number;
  tool?: 'lookup' | 'approve' | 'mcp__bench__lookup';
}

let turns = 0;

export function turnScript(script: Partial<Omit<TurnScript, 'id'>>): TurnScript {
  turns += 1;
  return { id: `${process.pid}-${turns}`, steps: 50, calls: 1, bytes: 8192, ...script };
}

/**
 * Answers by the script in the latest input. Steps are counted here and not in the conversation, the beginning of which leaves a long
 * turn's context.
 */
export function scriptedAnswers(): (request: ScriptedRequest) => Promise<Step> {
  const done = new Map<string, number>();
  return async (request) => {
    const {
      id,
      steps,
      calls: width,
      bytes,
      tool = 'lookup',
      thinkMs = 0,
    } = JSON.parse(request.lastUserText) as TurnScript;
    if (thinkMs > 0) await delay(thinkMs);
    const step = (done.get(id) ?? 0) + 1;
    if (step > steps) {
      done.delete(id);
      return says('All of it was looked up.');
    }
    done.set(id, step);
    return calls(
      Array.from({ length: width }, (_, call): ScriptedCall => [tool, { n: step * 10 + call, bytes }]),
    );
  };
}
