import { ScriptedModel } from '../../src/testing/index.ts';
import { sharedTemporal } from '../support/temporal.ts';
import { runCli, startCli, type Finished, type RunningCli } from './cli-process.ts';
import { aConfig, aProject, type Project } from './project.ts';

export interface CliStack {
  project: Project;
  model: ScriptedModel;
  env: Record<string, string>;
  taskQueue: string;
  worker: RunningCli;
  /** Runs a command to its end. */
  cli(...args: string[]): Promise<Finished>;
  /** Starts a command, on a pseudo terminal if asked for. */
  live(args: string[], isTty?: boolean): RunningCli;
  stop(): Promise<void>;
}

/** A project with its `durascope worker`, a scripted model, and a store of its own, by default on the Temporal server that all suites share. */
export async function startCliStack(address = sharedTemporal().address): Promise<CliStack> {
  const project = await aProject();
  const name = project.folder.split('-').at(-1) ?? '';
  const taskQueue = `cli-${name}`;
  await project.write('durascope.config.ts', aConfig(`taskQueue: '${taskQueue}'`));
  const model = await ScriptedModel.start({ models: ['gpt-test'] });
  const env = {
    TEMPORAL_ADDRESS: address,
    DURASCOPE_STORE: 'sqlite:store.db',
    DURASCOPE_OWNER: `owner-${name}`,
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-not-to-be-shown',
  };
  const live = (args: string[], isTty = false) => startCli(args, { cwd: project.folder, env, isTty });
  const worker = live(['worker']);
  await worker.waitFor('worker runs');
  return {
    project,
    model,
    env,
    taskQueue,
    worker,
    cli: (...args) => runCli(args, { cwd: project.folder, env }),
    live,
    async stop() {
      worker.kill('SIGKILL');
      await worker.finished;
      await model.stop();
      await project.remove();
    },
  };
}
