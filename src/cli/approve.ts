import { DurascopeError, type PendingCall, type Session } from '../client/index.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import type { Actor } from '../core/approval.ts';
import { askAboutCall, type Asking } from './ask-about-call.ts';
import { askQuestion } from './ask-question.ts';

export interface Approver extends Asking {
  session: Session;
  /** Who answers. */
  actor: Actor;
}

/**
 * What became of the calls that ask: all are answered, some wait for others than this person, or nobody is here to be asked.
 */
export type Approval = 'answered' | 'waits' | 'unasked';

/** Approves all calls that wait for a person and ask no question. */
export async function approveAll(
  approver: Pick<Approver, 'session' | 'say' | 'actor'>,
  pending: readonly PendingCall[],
): Promise<Approval> {
  let approval: Approval = 'answered';
  for (const { callId } of pending.filter(({ state, question }) => state === 'asking' && !question))
    if ((await send(approver, { callId, decision: 'allow' })) !== 'taken') approval = 'waits';
  return approval;
}

/** Asks a person about each waiting call and sends the answers; what does not fit is refused with the reason, and asked again. */
export async function approveOneByOne(
  approver: Approver,
  pending: readonly PendingCall[],
): Promise<Approval> {
  let approval: Approval = 'answered';
  for (const call of pending.filter(({ state }) => state === 'asking')) {
    // An answer to another call may have settled it.
    if (!(await isAsking(approver.session, call.callId))) continue;
    const result = await approveOne(approver, call);
    if (result === 'unasked') return result;
    if (result === 'waits') approval = result;
  }
  return approval;
}

async function approveOne(approver: Approver, call: PendingCall): Promise<Approval> {
  let refused: Confirmation | undefined;
  for (;;) {
    const confirmation = call.question
      ? await askQuestion(approver, call, call.question)
      : await askAboutCall(approver, call, refused?.input);
    if (!confirmation) return (await isAsking(approver.session, call.callId)) ? 'unasked' : 'answered';
    const outcome = await send(approver, confirmation);
    if (outcome !== 'unfit') return outcome === 'taken' ? 'answered' : 'waits';
    refused = confirmation;
  }
}

/**
 * - `taken`: the call is settled, by this or by another answer.
 * - `others`: other people must answer: more of them, or not this one.
 * - `unfit`: this answer does not fit; another may.
 */
type Sent = 'taken' | 'others' | 'unfit';

async function send(
  { session, say, actor }: Pick<Approver, 'session' | 'say' | 'actor'>,
  confirmation: Confirmation,
): Promise<Sent> {
  const { callId } = confirmation;
  try {
    await session.confirm([confirmation], { actor });
    if (!(await isAsking(session, callId))) return 'taken';
    say('noted: others must allow it too');
    return 'others';
  } catch (error) {
    if (!(error instanceof DurascopeError) || !['conflict', 'unfit_answer', 'forbidden'].includes(error.code))
      throw error;
    say(error.message);
    if (!(await isAsking(session, callId))) return 'taken';
    const isOfCall = error.code === 'forbidden' || error.message.startsWith(`call ${callId} `);
    // What holds whatever this person answers; the rest is about the answer.
    return isOfCall ? 'others' : 'unfit';
  }
}

/** The call waits for a person still. */
export async function isAsking(session: Session, callId: string): Promise<boolean> {
  const now = await session.get();
  return now?.pending.some((call) => call.callId === callId && call.state === 'asking') === true;
}
