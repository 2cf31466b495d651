import type { Durascope, PendingCall, Session } from '../client/index.ts';
import { CommandError } from './command-error.ts';
import { howToAnswer } from './finish.ts';

/**
 * A call and its session. `call` is undefined when it does not wait (any more): the turn then says why it takes no answer.
 *
 * @throws CommandError `conflict` when it waits at another gate than `state`: there it takes other answers, and the error names them.
 */
export async function waitingCall(
  client: Durascope,
  address: { owner: string; callId: string },
  state: PendingCall['state'],
): Promise<{ session: Session; call: PendingCall | undefined }> {
  const { owner, callId } = address;
  const session = await client.sessionOfCall(owner, callId);
  const call = (await session.get())?.pending.find((pending) => pending.callId === callId);
  if (!call || call.state === state) return { session, call };
  throw new CommandError(
    'conflict',
    `Call ${callId} takes no such answer: ${howToAnswer([call]).join('\n')}`,
  );
}
