import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breaksAfter, calls, says, ScriptedModel } from '../../src/testing/index.ts';

let model: ScriptedModel;
beforeEach(async () => void (model = await ScriptedModel.start()));
afterEach(() => model.stop());

async function post(path: string, body: object): Promise<Response> {
  return fetch(`${model.baseUrl}${path}`, { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) });
}

const ask = (content: string, more: object = {}): Promise<Response> =>
  post('/chat/completions', { messages: [{ role: 'user', content }], ...more });

async function textOf(response: Response): Promise<string> {
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]!.message.content;
}

describe('ScriptedModel', () => {
  it('answers with its steps in order', async () => {
    model.says('one').says('two');
    expect(await textOf(await ask('a'))).toBe('one');
    expect(await textOf(await ask('b'))).toBe('two');
    model.assertDone();
  });

  it('streams Chat Completions as SSE that ends in [DONE]', async () => {
    model.calls('search', { q: 'x' });
    const body = await (await ask('a', { stream: true })).text();
    expect(body).toContain('"name":"search"');
    expect(body.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('streams Responses as named events that end in response.completed', async () => {
    model.says('hello');
    const body = await (await post('/responses', { input: 'a', stream: true })).text();
    expect(body).toContain('event: response.output_text.delta');
    expect(body.split('\n\n').at(-2)).toContain('event: response.completed');
  });

  it('refuses an unexpected call with an error that is not to be retried, and tells of it at the end', async () => {
    const response = await ask('who?');
    expect(response.status).toBe(500);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(() => model.assertDone()).toThrow(/Unexpected model call 1.*user "who\?"/);
  });

  it('tells of steps that nobody asked for', () => {
    model
      .says('never')
      .when(() => true)
      .says('nor this');
    expect(() => model.assertDone()).toThrow('2 scripted step(s)');
  });

  it('hands a throwing responder’s error to the caller and to the test', async () => {
    model.answers(() => {
      throw new Error('no idea');
    });
    expect((await ask('a')).status).toBe(500);
    expect(() => model.assertDone()).toThrow('no idea');
  });

  it('keeps conversations apart, whatever their order', async () => {
    model.when((request) => request.messages[0]?.text === 'first').says('to the first');
    model.when((request) => request.messages[0]?.text === 'second').says('to the second');
    expect(await textOf(await ask('second'))).toBe('to the second');
    expect(await textOf(await ask('first'))).toBe('to the first');
    model.assertDone();
  });

  it('lets a responder decide from the conversation alone, in either API', async () => {
    model.answers((request) =>
      request.results('search').length === 0
        ? calls('search', { q: request.lastUserText })
        : says(`found ${request.results('search')[0]!.text}`),
    );
    const chat = await post('/chat/completions', {
      messages: [
        { role: 'user', content: 'gold' },
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'search', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: '42' },
      ],
    });
    expect(await textOf(chat)).toBe('found 42');
    const responses = await post('/responses', {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'gold' }] },
        { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '43' },
      ],
    });
    expect(await responses.text()).toContain('found 43');
  });

  it('records what was asked', async () => {
    model.says('ok');
    await ask('a', { tools: [{ type: 'function', function: { name: 'search' } }] });
    const request = await model.waitForRequest();
    expect(request).toMatchObject({ api: 'chat', model: 'm', tools: ['search'], isStreaming: false });
  });

  it('notices that the caller hung up', async () => {
    model.hangs({ before: 'headers' });
    const controller = new AbortController();
    const call = fetch(`${model.baseUrl}/chat/completions`, {
      method: 'POST',
      body: '{"messages":[]}',
      signal: controller.signal,
    });
    const request = await model.waitForRequest();
    expect(request.aborted).toBe(false);
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
    expect(await model.waitForAbort()).toBe(request);
  });

  it('breaks a stream where the script says, which is no abort by the caller', async () => {
    model.breaksAfter(2, says('never whole'));
    const response = await ask('a', { stream: true });
    await expect(response.text()).rejects.toThrow();
    expect(model.requests[0]!.sentAt).toHaveLength(2);
    expect(model.requests[0]!.aborted).toBe(false);
  });

  it('ends a stream early without a word, or with an error object', async () => {
    model
      .breaksAfter(1, says('x'), 'end')
      .queue(breaksAfter(1, says('x'), { error: { error: { message: 'upstream died' } } }));
    expect(await (await ask('a', { stream: true })).text()).not.toContain('finish_reason":"stop');
    expect(await (await ask('a', { stream: true })).text()).toContain('upstream died');
  });

  it('lists its models', async () => {
    const response = await fetch(`${model.baseUrl}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'scripted' }] });
  });
});
