import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

const prebuilt = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const pathOf = (module: string) =>
  fileURLToPath(new URL(`../workflows/${module}.${extension}`, import.meta.url));

let bundled: Promise<WorkflowBundleOption> | undefined;

/** The bundle of our workflows: the one that the build made, else one made now, once a process. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  bundled ??= existsSync(prebuilt)
    ? Promise.resolve({ codePath: prebuilt })
    : bundleWorkflowCode({
        workflowsPath: pathOf('index'),
        payloadConverterPath: pathOf('payload-converter'),
        logger: quiet,
      });
  return bundled;
}

const ignore = () => undefined;
const quiet = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, log: ignore };
