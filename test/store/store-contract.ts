import { describe } from 'vitest';
import type { OpenStore } from '../../src/store/open-store.ts';
import { callContract } from './call-contract.ts';
import { concurrencyContract } from './concurrency-contract.ts';
import { eventContract } from './event-contract.ts';
import { lineageContract } from './lineage-contract.ts';
import { relayContract } from './relay-contract.ts';
import { messageContract } from './message-contract.ts';
import { permissionsContract } from './permissions-contract.ts';
import { serviceContract } from './service-contract.ts';
import { sessionContract } from './session-contract.ts';
import { slotContract } from './slot-contract.ts';
import { turnContract } from './turn-contract.ts';

/** What a suite asks its back end for. */
export interface StoreUnderTest {
  opened: OpenStore;
  /** The same store as another process would have it. Absent where nobody else can. */
  openAgain?: () => Promise<OpenStore>;
}

/** The promises of the port, held against one back end. Suites share its database: each test has an owner of its own. */
export function storeContract(name: string, underTest: () => StoreUnderTest): void {
  const store = () => underTest().opened.store;
  describe(`the store on ${name}`, () => {
    sessionContract(store);
    turnContract(store);
    messageContract(store);
    callContract(store);
    permissionsContract(store);
    slotContract(store);
    eventContract(store);
    serviceContract(store);
    lineageContract(store);
    concurrencyContract(underTest);
    relayContract(underTest);
  });
}
