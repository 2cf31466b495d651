import type { Durascope, Session, SessionDetails } from '../client/index.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError `not_found` */
export async function existingSession(
  client: Durascope,
  owner: string,
  id: string,
): Promise<{ session: Session; details: SessionDetails }> {
  const session = client.session({ owner, id });
  const details = await session.get();
  if (details) return { session, details };
  throw new CommandError(
    'not_found',
    `Owner ${owner} has no session ${id}: "durascope sessions" lists them; another owner's are under --owner`,
  );
}
