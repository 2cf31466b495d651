import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModelRegistry } from '../../src/model/registry.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { ask } from './ask.ts';

describe('createModelRegistry', () => {
  let model: ScriptedModel;
  beforeEach(async () => void (model = await ScriptedModel.start()));
  afterEach(() => model.stop());

  it('takes openai from the environment, and speaks chat with other endpoints than OpenAI’s', async () => {
    model.says('hi');
    const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-test' };
    await ask(createModelRegistry({ env }).resolve('openai/gpt-5-mini').adapter);
    expect(model.requests[0]).toMatchObject({ api: 'chat', headers: { authorization: 'Bearer sk-test' } });
  });

  it('takes further providers, with their dialect and headers, and keeps OpenAI’s key from them', async () => {
    model.says('hi');
    const providers = {
      mine: { baseUrl: model.baseUrl, api: 'responses' as const, headers: { 'x-team': 'a' } },
    };
    const registry = createModelRegistry({ providers, env: { OPENAI_API_KEY: 'sk-secret' } });
    const resolved = registry.resolve('mine/org/model');
    expect(resolved.model).toBe('org/model');
    await ask(resolved.adapter);
    expect(model.requests[0]).toMatchObject({ api: 'responses', headers: { 'x-team': 'a' } });
    expect(model.requests[0]!.headers).not.toHaveProperty('authorization');
  });

  it('lets a provider’s settings win over the environment', async () => {
    model.says('hi');
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-env' };
    const providers = { openai: { baseUrl: model.baseUrl, apiKey: 'sk-own' } };
    await ask(createModelRegistry({ env, providers }).resolve('openai/x').adapter);
    expect(model.requests[0]!.headers.authorization).toBe('Bearer sk-own');
  });

  it.each([
    ['gpt-5-mini', 'must look like provider/name'],
    ['', 'must look like provider/name'],
    ['openai/', 'must look like provider/name'],
    [
      'nobody/x',
      'no model provider is named "nobody". Known: bare, wrong, openai. Add it to the config as models.nobody',
    ],
    ['toString/x', 'no model provider is named "toString"'],
    ['bare/x', 'models.bare.baseUrl must be a URL such as http://127.0.0.1:8000/v1, it is missing'],
    ['wrong/x', 'it is "localhost"'],
  ])('refuses %j and says why', (ref, message) => {
    const providers = { bare: {}, wrong: { baseUrl: 'localhost' } };
    const resolve = (): unknown => createModelRegistry({ providers, env: {} }).resolve(ref);
    expect(resolve).toThrow(message);
    expect(resolve).toThrow(expect.objectContaining({ code: 'model_not_found' }) as Error);
  });

  it('misses an API key only at the first call, and then says what to set', async () => {
    const { adapter } = createModelRegistry({ env: {} }).resolve('openai/gpt-5-mini');
    await expect(ask(adapter)).rejects.toMatchObject({
      code: 'authentication',
      message: 'No API key for provider "openai": set OPENAI_API_KEY, or models.openai.apiKey in the config',
    });
  });

  it.each([
    ['gpt-5-mini-2025-08-07', { contextTokens: 400_000, isReasoning: true }],
    ['gpt-5.1-chat-latest', { contextTokens: 128_000 }],
    ['gpt-5.5', { contextTokens: 1_050_000 }],
    ['gpt-4.1-nano', { contextTokens: 1_047_576 }],
    ['gpt-4', { contextTokens: 8_192, inputMedia: [] }],
    ['o3-mini', { inputMedia: [] }],
    ['llama-9', { contextTokens: 128_000, inputMedia: ['image/*'] }],
  ])('knows what %s can take', (name, capabilities) => {
    expect(createModelRegistry({ env: {} }).resolve(`openai/${name}`).capabilities).toMatchObject(
      capabilities,
    );
  });

  it('lets the configuration describe a model', () => {
    const providers = { v: { baseUrl: 'http://127.0.0.1:1/v1', models: { q: { contextTokens: 32_768 } } } };
    expect(createModelRegistry({ providers, env: {} }).resolve('v/q').capabilities).toEqual({
      contextTokens: 32_768,
      inputMedia: ['image/*'],
    });
  });
});
