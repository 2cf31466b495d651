import { Connection } from '@temporalio/client';
import { DurascopeClient } from '../../src/client/index.ts';
import { createServer, listen, openAccess } from '../../src/server/index.ts';
import { memoryOf } from './memory-of.ts';
import { serve, settings } from './serve.ts';

export interface ApiSettings {
  address: string;
  taskQueue: string;
  storeUrl: string;
}

const { address, taskQueue, storeUrl } = settings() as ApiSettings;
const connection = await Connection.connect({ address });
const client = await DurascopeClient.connect({ connection, store: storeUrl, taskQueue });
const listening = await listen(createServer({ client, authenticate: openAccess('bench') }), { port: 0 });

serve(listening.url, { memory: memoryOf }, async () => {
  await listening.close(0);
  await client.close();
  await connection.close();
});
