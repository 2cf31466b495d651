import type { SessionRef } from '../contracts/ids.ts';

/** The store did not answer. Retryable: nothing was half written. */
export class StoreUnavailableError extends Error {
  readonly code = 'StoreUnavailable';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnavailableError';
  }
}

/** A session, turn or call that a write needs is not there: a mistake of the caller, which a repeat does not mend. */
export class NotInStoreError extends Error {
  readonly code = 'NotInStore';
  /** @param remedy what to do, as a clause. */
  constructor(what: string, remedy: string) {
    super(`${what} is not in the store: ${remedy}`);
    this.name = 'NotInStoreError';
  }
}

/** The turn was closed meanwhile, from outside: what its worker still brings comes too late, and a repeat does not mend it. */
export class TurnEndedError extends Error {
  readonly code = 'TurnEnded';
  constructor(turnId: string) {
    super(`${turnId} has ended: nothing can be added to it`);
    this.name = 'TurnEndedError';
  }
}

/** A session can't stand below itself. */
export class InvalidLineageError extends Error {
  readonly code = 'InvalidLineage';
  constructor(ref: SessionRef, parent: string) {
    super(
      `Session ${ref.sessionId} can't be put below ${parent}, which stands below it: sessions form a tree`,
    );
    this.name = 'InvalidLineageError';
  }
}

/** A `limit` or `cursor` that no list takes. */
export class InvalidPageError extends Error {
  readonly code = 'InvalidPage';
  constructor(message: string) {
    super(message);
    this.name = 'InvalidPageError';
  }
}
