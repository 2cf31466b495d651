// The body of a thread that converts one page: see convert-page.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { toMarkdown } from './to-markdown.ts';

const { html, base } = workerData as { html: string; base: string };
parentPort?.postMessage({ value: await toMarkdown(html, new URL(base)) }, []);
