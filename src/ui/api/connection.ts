import { ApiConnection } from '../../react/index.ts';
import { apiKey, isKeyWanted } from './key.ts';
import { observable } from './observable.ts';

/** Whether the server answered last time. */
export const isServerLost = observable(false);

/** Answers of gateways whose server is away. */
const awayStatuses = new Set([502, 504]);

/** The one way to the server. */
export const connection = new ApiConnection({
  apiKey: () => apiKey.get(),
  async fetch(input, init) {
    try {
      const response = await fetch(input, init);
      isServerLost.set(awayStatuses.has(response.status));
      if (response.status === 401) isKeyWanted.set(true);
      return response;
    } catch (error) {
      if (init?.signal?.aborted !== true) isServerLost.set(true);
      throw error;
    }
  },
});
