import { readFile } from 'node:fs/promises';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import type { Figure } from '../support/figure.ts';

/** Code and source map together, as a worker loads it. */
export const bundleSize: Figure = {
  name: 'bundle-size',
  async measure() {
    const bundle = await workflowBundle();
    const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
    return [
      {
        figure: 'workflow bundle',
        unit: 'MB',
        measured: Buffer.byteLength(code) / 1e6,
        target: { atMost: 2 },
      },
    ];
  },
};
