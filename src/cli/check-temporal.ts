import { Connection, type WorkflowService } from '@temporalio/client';
import { searchAttributes } from '../contracts/search-attributes.ts';
import type { Settings } from '../settings/settings.ts';
import { fail, ok, warn, type Check } from './check.ts';
import { describeError } from './report-error.ts';

type QueueType = NonNullable<Parameters<WorkflowService['describeTaskQueue']>[0]['taskQueueType']>;
// The SDK does not export the enum.
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const [workflowQueue, activityQueue] = [1, 2] as [QueueType, QueueType];
const answerMs = 10_000;

/** Is Temporal there, with our namespace and search attributes, and does a worker poll? */
export async function checkTemporal({ temporal, taskQueue }: Settings): Promise<Check[]> {
  const { address, namespace } = temporal;
  if (address === undefined)
    return [
      warn(
        'temporal',
        'no address is set, and no "durascope dev" runs here',
        'start "durascope dev" in this folder, or set TEMPORAL_ADDRESS; "durascope run" starts a server of its own',
      ),
    ];
  let connection: Connection;
  try {
    connection = await Connection.connect({ connectTimeout: '5s', ...temporal.connection });
  } catch (error) {
    return [
      fail(
        'temporal',
        `nothing answers at ${address} (${describeError(error).message})`,
        'start it, or correct TEMPORAL_ADDRESS, --address or the config; a cloud needs TEMPORAL_API_KEY or TEMPORAL_TLS_*',
      ),
    ];
  }
  try {
    return await connection.withDeadline(Date.now() + answerMs, async () => {
      const found = await checkNamespace(connection, namespace);
      if (found.status === 'fail') return [ok('temporal', address), found];
      return [
        ok('temporal', address),
        found,
        await checkSearchAttributes(connection, namespace),
        await checkWorkers(connection, namespace, taskQueue),
      ];
    });
  } finally {
    await connection.close();
  }
}

async function checkNamespace(connection: Connection, namespace: string): Promise<Check> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return ok('namespace', namespace);
  } catch (error) {
    return fail(
      'namespace',
      `${namespace} cannot be used (${describeError(error).message})`,
      `make it with "temporal operator namespace create -n ${namespace}", or correct TEMPORAL_NAMESPACE`,
    );
  }
}

async function checkSearchAttributes(connection: Connection, namespace: string): Promise<Check> {
  const name = 'search attributes';
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(searchAttributes).filter(
      (attribute) => !customAttributes?.[attribute.name],
    );
    if (missing.length === 0) return ok(name, 'registered');
    const flags = missing.map((attribute) => `--name ${attribute.name} --type ${typeName[attribute.type]}`);
    return warn(
      name,
      `not registered: ${missing.map((attribute) => attribute.name).join(', ')}; turns run, but can't be filtered by them in Temporal Web`,
      `temporal operator search-attribute create -n ${namespace} ${flags.join(' ')}`,
    );
  } catch (error) {
    return warn(name, `cannot be listed (${describeError(error).message})`, 'ask whoever runs the cluster');
  }
}

const typeName = { KEYWORD: 'Keyword', INT: 'Int' } as const;

async function checkWorkers(connection: Connection, namespace: string, taskQueue: string): Promise<Check> {
  const polls = async (taskQueueType: QueueType): Promise<boolean> => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType,
    });
    return (pollers?.length ?? 0) > 0;
  };
  if ((await polls(workflowQueue)) && (await polls(activityQueue)))
    return ok('worker', `polls task queue ${taskQueue}`);
  return warn(
    'worker',
    `none has polled task queue ${taskQueue} in the last minutes`,
    'start "durascope worker" or "durascope dev", with the same namespace and task queue',
  );
}
