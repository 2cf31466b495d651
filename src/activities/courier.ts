import { Context } from '@temporalio/activity';
import type { Courier } from '../inbox/deliver.ts';
import type { ActivityDeps } from './deps.ts';

/** Delivers messages from within an activity, over the worker's own connection. */
export function courierOf({ store }: Pick<ActivityDeps, 'store'>): Courier {
  const { client, info } = Context.current();
  return { store, temporal: client, taskQueue: info.taskQueue };
}
