import { TestWorkflowEnvironment } from '@temporalio/testing';

// A process of its own, started by find-cli.ts: the SDK's download cannot be stopped, and needs the SDK's one runtime, which belongs to
// the caller's process. It starts the server once; what is left in the folder is the program.
const [downloadDir, version] = process.argv.slice(2);
if (downloadDir === undefined || version === undefined) throw new Error('usage: sdk-download FOLDER VERSION');

const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir, version } },
});
await environment.teardown();
