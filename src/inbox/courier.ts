import { Context } from '@temporalio/activity';
import type { Courier } from './deliver.ts';

/** Delivers messages from within an activity, over the worker's own connection. */
export function courierHere(store: Courier['store']): Courier {
  const { client, info } = Context.current();
  return { store, temporal: client, taskQueue: info.taskQueue };
}
