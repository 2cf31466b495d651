import type { PendingCall } from '../client/index.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import type { Question } from '../schema/event.ts';
import { askReason, choiceOf, type Asking } from './ask-about-call.ts';
import { questionLines } from './render-gate.ts';
import { printable } from './text.ts';

/** Asks a person what an agent wants to know; who answers nothing may refuse. Undefined when the person is gone. */
export async function askQuestion(
  asking: Asking,
  { callId, name }: PendingCall,
  question: Question,
): Promise<Confirmation | undefined> {
  const { ask, say, signal } = asking;
  const { isSecret } = question;
  const named = question.id === undefined ? {} : { questionId: question.id };
  say(`${printable(name)} asks: ${questionLines(question).join('\n')}`);
  for (;;) {
    const text = await ask(`${howTo(question)} `, { signal, callId, isSecret });
    if (text === undefined) return undefined;
    // Spaces may be part of a secret.
    const answer = isSecret ? text : text.trim();
    if (answer.trim() === '') {
      const reason = await refusal(asking, callId);
      if (reason === undefined) return undefined;
      if (reason !== 'answer') return { callId, decision: 'deny', ...reason, ...named };
      continue;
    }
    const chosen = optionOf(question, answer);
    if (chosen !== undefined || question.isFree)
      return { callId, decision: 'allow', answer: chosen ?? answer, ...named };
    say('that is none of the answers');
  }
}

/** The option that is meant: by its label, or by its number. */
export function optionOf({ options = [] }: Question, answer: string): string | undefined {
  const labels = options.map(({ label }) => label);
  const named = labels.find((label) => label === answer);
  if (named !== undefined) return named;
  return /^\d+$/.test(answer) ? labels[Number(answer) - 1] : undefined;
}

function howTo({ options = [], isFree, isSecret }: Question): string {
  if (isSecret) return 'answer (not shown):';
  if (options.length === 0) return 'answer:';
  return isFree ? `answer (1-${options.length}, or text):` : `answer (1-${options.length}):`;
}

async function refusal(
  { ask, signal }: Asking,
  callId: string,
): Promise<{ reason?: string } | 'answer' | undefined> {
  const isRefused = choiceOf(await ask('refuse to answer? y(es), n(o) ', { signal, callId }));
  if (isRefused === undefined) return undefined;
  return isRefused === 'y' ? askReason({ ask, signal }, callId) : 'answer';
}
