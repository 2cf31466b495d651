// Runs one command of a workspace and says what it writes; a test kills this process meanwhile.
import { sampleBackend, type BackendName } from './sample-backends.ts';

const [name, root = '', shell = ''] = process.argv.slice(2);
const workspace = await sampleBackend(name as BackendName, root).open({ owner: 'acme', sessionId: 'held' });
const limits = { timeoutMs: 60_000, signal: new AbortController().signal };
for await (const { bytes } of workspace.exec({ shell }, limits)) process.stdout.write(bytes);
