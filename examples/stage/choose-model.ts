import { ScriptedModel, type Responder } from 'durascope/testing';
import type { Play } from './run-example.ts';

/** A model as it is shown, and the environment in which the agents find it. */
export interface ChosenModel {
  name: string;
  env: Record<string, string>;
}

/** A real model where there is a key for one, or an endpoint that may want none; else a scripted one. */
export async function chooseModel(replies: Responder, onStop: Play['onStop']): Promise<ChosenModel> {
  if (process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']) {
    const name = process.env['DURASCOPE_DEMO_MODEL'] ?? 'openai/gpt-5-mini';
    return { name, env: { DURASCOPE_DEMO_MODEL: name } };
  }
  const model = await ScriptedModel.start();
  onStop(() => model.stop());
  model.answers(replies);
  return {
    name: 'scripted, because OPENAI_API_KEY is not set (all else is real)',
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'scripted',
      DURASCOPE_DEMO_MODEL: 'openai/scripted',
    },
  };
}
