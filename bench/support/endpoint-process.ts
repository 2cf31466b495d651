import { ScriptedModel } from '../../src/testing/index.ts';
import { serve } from './serve.ts';
import { teamAnswer } from './team-script.ts';
import { scriptedAnswers } from './turn-script.ts';

const model = await ScriptedModel.start();
const answer = scriptedAnswers();
model.answers((request) => {
  // Nobody asks for them, and whole contexts are a lot to keep.
  model.requests.length = 0;
  return teamAnswer(request) ?? answer(request);
});

serve(model.baseUrl, {}, () => model.stop());
