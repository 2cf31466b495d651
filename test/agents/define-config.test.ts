import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineConfig, type Config } from '../../src/agents/define-config.ts';
import type { ProviderConfig } from '../../src/model/registry.ts';
import { DefinitionError } from '../../src/tools/definition-error.ts';

const options = { name: 'support', model: 'openai/gpt-5-mini', instructions: 'Help.' };
const support = defineAgent(options);

function errorOf(config: object): DefinitionError {
  try {
    defineConfig(config as Config);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('the config was accepted');
}

describe('defineConfig', () => {
  it('needs agents only', () => {
    expect(defineConfig({ agents: [support] })).toEqual({ agents: [support] });
  });

  it('takes everything that flags and environment can say', () => {
    const config: Config = {
      agents: [support],
      store: 'postgres://localhost/durascope',
      temporal: { address: 'localhost:7233', namespace: 'shop', tls: { serverName: 'shop.tmprl.cloud' } },
      models: {
        local: {
          baseUrl: 'http://localhost:11434/v1',
          api: 'chat',
          headers: { 'x-team': 'shop' },
          models: { qwen: { contextTokens: 32_000, inputMedia: ['image/*'] } },
        },
      },
      port: 4670,
      taskQueue: 'shop',
    };
    expect(defineConfig(config)).toEqual(config);
  });

  it('says of a provider what the model registry takes', () => {
    expectTypeOf<NonNullable<Config['models']>>().toExtend<Record<string, ProviderConfig>>();
    expectTypeOf<keyof NonNullable<Config['models']>[string]>().toEqualTypeOf<keyof ProviderConfig>();
  });

  it('takes a key that is undefined for one that was left out', () => {
    const config = { agents: [support], models: { openai: { apiKey: undefined } } } as object as Config;
    expect(defineConfig(config)).toEqual({ agents: [support], models: { openai: {} } });
  });

  it.each([
    ['agents', { agents: [] }, 'at least one agent'],
    ['agents', { agents: undefined }, 'such as [support]'],
    ['agents[0]', { agents: [options] }, 'as in defineAgent({ … })'],
    [
      'agents[1].name',
      { agents: [support, defineAgent({ ...options, model: 'openai/o5' })] },
      'both named support',
    ],
    ['store', { store: 'mysql://localhost' }, 'sqlite:PATH'],
    ['port', { port: 70_000 }, '0 to 65535'],
    ['agent', { agent: support }, 'Did you mean agents?'],
    ['temporal.adress', { temporal: { adress: 'x' } }, 'Did you mean address?'],
    ['temporal.tls', { temporal: { tls: 'on' } }, 'true, false or'],
    ['models.local.baseURL', { models: { local: { baseURL: 'http://localhost' } } }, 'Did you mean baseUrl?'],
    ['models.local.baseUrl', { models: { local: { baseUrl: 'localhost:1' } } }, 'an address such as'],
    ['models.local.api', { models: { local: { api: 'completions' } } }, "'chat' or 'responses'"],
    ['models.a/b', { models: { 'a/b': {} } }, 'without slash'],
  ])('names the field %s and the remedy', (field, changes, remedy) => {
    const error = errorOf({ agents: [support], ...changes });
    expect(error.field).toBe(field);
    expect(error.message).toContain(remedy);
    expect(error.message).toContain('Invalid config');
  });
});
