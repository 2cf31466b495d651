// Bundles the workflows ahead of time, so that a worker in production starts without the bundler.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const dist = new URL('../dist/', import.meta.url);
const { bundleOwn } = (await import(
  new URL('worker/workflow-bundle.js', dist).href
)) as typeof import('../src/worker/workflow-bundle.ts');
const { code } = await bundleOwn();
await writeFile(fileURLToPath(new URL('workflow-bundle.js', dist)), code);
