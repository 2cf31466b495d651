// The body of a thread that reads one PDF: see pdf-text.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { Answer } from './in-thread.ts';
import { readPdf, type PdfRequest } from './read-pdf.ts';
import { describeError } from './tool-errors.ts';

const answer: Answer<string> = await readPdf(workerData as PdfRequest).then(
  (value) => ({ value }),
  (error: unknown) => ({ refused: describeError(error) }),
);
parentPort?.postMessage(answer, []);
