import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callsOf } from '../../src/core/pair-results.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { defaultTimeouts, type ModelAdapter, type ModelRequest } from '../../src/model/model.ts';
import { calls, says, ScriptedModel, thinks, type WireOptions } from '../../src/testing/index.ts';
import {
  adapterOf,
  type Api,
  aCall,
  aMsg,
  aRequest,
  aResult,
  aText,
  ask,
  askGist,
  collect,
  fold,
} from './ask.ts';

const longText = 'Grüße, 世界 👩‍👩‍👧! '.repeat(20);
const tool = { name: 'search', description: 'Search', parameters: { type: 'object' } };

const variants: [api: Api, isStreaming: boolean][] = [
  ['chat', true],
  ['chat', false],
  ['responses', true],
  ['responses', false],
];

describe.each(variants)('the adapter of %s, streaming: %s', (api, isStreaming) => {
  let model: ScriptedModel;
  let adapter: ModelAdapter;
  beforeEach(async () => {
    model = await ScriptedModel.start();
    adapter = adapterOf(model.baseUrl, api);
  });
  afterEach(() => model.stop());

  const call = (changes: Partial<ModelRequest> = {}): ReturnType<typeof ask> =>
    ask(adapter, { isStreaming, ...changes });
  const failure = async (changes: Partial<ModelRequest> = {}): Promise<ModelError> => {
    const error: unknown = await call(changes).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ModelError);
    return error as ModelError;
  };

  it('gives text, usage and the reason to stop', async () => {
    model.says(longText, { tokens: { input: 100, output: 50, cached: 40, reasoning: 0 } });
    const message = fold(await call());
    expect(message).toMatchObject({
      content: [{ type: 'text', text: longText }],
      finishReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 50, cachedInputTokens: 40, reasoningTokens: 0 },
    });
  });

  it('gives exactly one finish, at the end', async () => {
    model.says('hi');
    const chunks = await call();
    expect(chunks.map((chunk) => chunk.kind === 'finish').lastIndexOf(false)).toBe(chunks.length - 2);
  });

  it('gives thinking, text and calls in their order, each call with the endpoint’s id', async () => {
    model.thinks(
      'hmm',
      calls(
        [
          ['search', { q: 'a' }, 'id-1'],
          ['read', { n: 1 }, 'id-2'],
        ],
        { text: 'Let me see.' },
      ),
    );
    expect(fold(await call())).toMatchObject({
      content: [
        { type: 'thinking', text: 'hmm' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_call', name: 'search', arguments: '{"q":"a"}', providerCallId: 'id-1' },
        { type: 'tool_call', name: 'read', arguments: '{"n":1}', providerCallId: 'id-2' },
      ],
      finishReason: 'tool_calls',
    });
  });

  it('keeps arguments as they were written, broken or cut off', async () => {
    model.calls('search', '{"q": "unfinis', { finishReason: 'length' });
    expect(fold(await call())).toMatchObject({
      content: [{ type: 'tool_call', arguments: '{"q": "unfinis' }],
      finishReason: 'length',
    });
  });

  it('says that it stopped for its calls, also where the endpoint calls that a stop', async () => {
    model.calls('search', {}, { finishReason: 'stop' });
    expect(fold(await call()).finishReason).toBe('tool_calls');
  });

  it('gives an empty answer as one without content', async () => {
    model.says('');
    expect(await askGist(adapter, { isStreaming })).toEqual({ content: [], finishReason: 'stop' });
  });

  it('reports a filtered answer', async () => {
    model.says('I', { finishReason: 'content_filter' });
    expect(fold(await call()).finishReason).toBe('content_filter');
  });

  it('gives no usage where the endpoint gives none', async () => {
    model.says('hi', { usage: 'omitted' });
    expect((await call()).some((chunk) => chunk.kind === 'usage')).toBe(false);
  });

  it('sends the system prompt, the conversation, the tools and the settings', async () => {
    model.says('ok');
    const messages = [
      aMsg('user', [aText('find it')]),
      aMsg('assistant', [aText('Searching.'), aCall('own-1', 'search', '{"q":"it"}', 'call_1')]),
      aResult('own-1', [aText('found')]),
    ];
    await call({
      messages,
      tools: [tool],
      settings: { temperature: 0.2, maxOutputTokens: 99, extra: { seed: 7 } },
    });
    const [request] = model.requests;
    expect(request).toMatchObject({ system: 'You help.', tools: ['search'], model: 'm', isStreaming });
    expect(request!.messages).toMatchObject([
      { role: 'user', text: 'find it' },
      {
        role: 'assistant',
        text: 'Searching.',
        calls: [{ id: 'call_1', name: 'search', arguments: '{"q":"it"}' }],
      },
      { role: 'tool', callId: 'call_1', text: 'found' },
    ]);
    expect(request!.body).toMatchObject({ temperature: 0.2, seed: 7 });
    expect(request!.body).toHaveProperty(api === 'chat' ? 'max_tokens' : 'max_output_tokens', 99);
  });

  it('fits tool names to the API and gives calls back under their own', async () => {
    model.calls([
      ['fs_read', {}],
      ['fs_read_2', {}],
    ]);
    const tools = [
      { ...tool, name: 'fs.read' },
      { ...tool, name: 'fs/read' },
    ];
    expect(fold(await call({ tools })).content).toMatchObject([{ name: 'fs.read' }, { name: 'fs/read' }]);
    expect(model.requests[0]!.tools).toEqual(['fs_read', 'fs_read_2']);
  });

  it('asks for tools as it is told to, by the names that the API knows', async () => {
    for (const _ of [1, 2, 3]) model.says('ok');
    const tools = [{ ...tool, name: 'fs.read' }];
    await call({ tools });
    await call({ tools, toolChoice: 'required' });
    await call({ tools, toolChoice: { tool: 'fs.read' } });
    const named =
      api === 'chat'
        ? { type: 'function', function: { name: 'fs_read' } }
        : { type: 'function', name: 'fs_read' };
    expect(model.requests.map(({ body }) => body['tool_choice'])).toEqual([undefined, 'required', named]);
  });

  it('names the answer’s error with the provider’s words, and never calls twice', async () => {
    model.fails(429, { retryAfter: 7, body: { error: { message: 'slow down', type: 'x', code: null } } });
    const error = await failure();
    expect(error).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 7_000,
      isRetryable: true,
    });
    expect(error.message).toContain('slow down');
    expect(model.requests).toHaveLength(1);
  });

  it('reads an error that is not in OpenAI’s form', async () => {
    model
      .fails(422, { body: { detail: 'temperature must be positive' } })
      .fails(502, { body: '<h1>Bad gateway</h1>' });
    expect(await failure()).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('temperature must be'),
    });
    expect(await failure()).toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('502: Bad gateway'),
    });
  });

  it('does not retry what the endpoint asks not to retry', async () => {
    expect(await failure()).toMatchObject({ code: 'unknown', isRetryable: false, status: 500 });
  });

  it('calls an answer that broke off broken', async () => {
    model.breaksAfter(3, says(longText));
    expect(await failure()).toMatchObject({ code: 'stream_broken', isRetryable: true });
  });

  it('surfaces an abort as its reason and closes the connection', async () => {
    model.hangs({ before: 'headers' });
    const controller = new AbortController();
    const pending = collect(adapter.call(aRequest({ isStreaming }), controller.signal));
    await model.waitForRequest();
    const reason = new Error('user left');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await model.waitForAbort();
  });

  it('makes no call when it is aborted already', async () => {
    const reason = new Error('too late');
    await expect(collect(adapter.call(aRequest({ isStreaming }), AbortSignal.abort(reason)))).rejects.toBe(
      reason,
    );
    expect(model.requests).toHaveLength(0);
  });

  it('gives up on a silent endpoint, says which limit passed, and closes the connection', async () => {
    model.hangs({ before: 'headers' });
    const limit = isStreaming ? 'connectMs' : 'totalMs';
    const error = await failure({ timeouts: { ...defaultTimeouts, [limit]: 20 } });
    expect(error).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining(`20 ms (timeouts.${limit})`),
    });
    await model.waitForAbort();
  });

  it('says that nothing listens there', async () => {
    await model.stop();
    expect(await failure()).toMatchObject({
      code: 'connection',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    model = await ScriptedModel.start();
  });

  it('says that a page which is no API is none', async () => {
    model.raw('<html>Welcome</html>', { headers: { 'content-type': 'text/html' } });
    expect(await failure()).toMatchObject({
      isRetryable: false,
      message: expect.stringContaining('Check the base URL'),
    });
  });

  it('understands an endpoint that does the other thing than it was asked to', async () => {
    const other = await ScriptedModel.start();
    other.thinks('hm', calls('search', { q: 1 }, { text: 'x' }));
    const path = api === 'chat' ? '/chat/completions' : '/responses';
    const answer = await fetch(other.baseUrl + path, {
      method: 'POST',
      body: JSON.stringify({ stream: !isStreaming, messages: [], input: [] }),
    });
    model.raw(await answer.text(), { headers: { 'content-type': answer.headers.get('content-type')! } });
    await other.stop();
    expect(await askGist(adapter, { isStreaming })).toEqual({
      content: [
        ['thinking', 'hm'],
        ['text', 'x'],
        ['search', '{"q":1}'],
      ],
      finishReason: 'tool_calls',
    });
  });
});

describe.each(['chat', 'responses'] as const)('the streaming adapter of %s', (api) => {
  let model: ScriptedModel;
  let adapter: ModelAdapter;
  beforeEach(async () => {
    model = await ScriptedModel.start();
    adapter = adapterOf(model.baseUrl, api);
  });
  afterEach(() => model.stop());

  const oddities: WireOptions[] = [
    { bytesPerWrite: 1 },
    { bytesPerWrite: 7, lineEnd: '\r\n', comments: true },
    { fragment: 1 },
    { fragment: 1, callStyle: 'interleaved' },
    { callStyle: 'whole' },
    { usage: 'with_finish' },
    { done: 'omitted' },
    { contentAsArray: true },
    { reasoningField: 'reasoning' },
    { callIndex: 'omitted' },
    { callIndex: 'omitted', callStyle: 'whole' },
    { callIndex: 'omitted', callId: 'repeated', callStyle: 'interleaved', fragment: 2 },
    { callIndex: 'omitted', callId: 'omitted', fragment: 3 },
    { callIndex: 'omitted', callId: 'omitted', callStyle: 'whole' },
    { callId: 'repeated', fragment: 3 },
    { callId: 'omitted', callStyle: 'interleaved' },
    {
      contentAsArray: true,
      reasoningField: 'reasoning',
      callIndex: 'omitted',
      bytesPerWrite: 3,
      lineEnd: '\r\n',
      done: 'omitted',
    },
  ];
  it.each(oddities)('hears the same through %j', async (wire) => {
    const plain = (options: WireOptions): ReturnType<typeof thinks> =>
      thinks(
        'Überlegung',
        calls(
          [
            ['search', { q: 'ä世👧' }],
            ['search', { q: 'b' }],
            ['none', {}],
          ],
          { text: 'Erst: 世界', ...options },
        ),
      );
    model.queue(plain(wire));
    expect(await askGist(adapter)).toEqual({
      content: [
        ['thinking', 'Überlegung'],
        ['text', 'Erst: 世界'],
        ['search', '{"q":"ä世👧"}'],
        ['search', '{"q":"b"}'],
        ['none', '{}'],
      ],
      finishReason: 'tool_calls',
    });
  });

  it('calls a stream broken that ends without having said why', async () => {
    model.breaksAfter(4, says('x'.repeat(200)), 'end');
    await expect(ask(adapter)).rejects.toMatchObject({ code: 'stream_broken' });
  });

  it('gives what was said before the break', async () => {
    model.breaksAfter(8, says('x'.repeat(500)));
    const chunks: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of adapter.call(aRequest(), new AbortController().signal)) chunks.push(chunk);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'stream_broken' });
    expect(chunks.length).toBeGreaterThan(0);
  });

  it.each([
    [{ error: { message: 'too many', code: 'rate_limit_exceeded' } }, 'rate_limited'],
    [{ error: { message: 'Provider returned error', code: 502 } }, 'overloaded'],
    [{ error: { message: 'boom' } }, 'stream_broken'],
    [{ error: 'boom' }, 'stream_broken'],
    [{ type: 'error', code: 'context_length_exceeded', message: 'too long' }, 'context_overflow'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  ])('knows the error %j in the middle of a stream', async (error, code) => {
    model.breaksAfter(3, says('x'.repeat(200)), { error });
    await expect(ask(adapter)).rejects.toMatchObject({ code });
  });

  it('knows an error by the name of its event', async () => {
    model.raw('event: error\ndata: {"code":"server_error","message":"sorry"}\n\n');
    await expect(ask(adapter)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('calls a message that is no JSON broken', async () => {
    model.raw('data: {"choices": [\n\n');
    await expect(ask(adapter)).rejects.toMatchObject({
      code: 'stream_broken',
      message: expect.stringContaining('no JSON'),
    });
  });

  it('waits for the first token and between two, each within its own limit', async () => {
    model.hangs({ before: 'firstToken' }).hangs({ before: 'afterChunks', chunks: 2, step: says('x') });
    const limits = { connectMs: 5_000, totalMs: 5_000 };
    await expect(
      ask(adapter, { timeouts: { ...limits, firstTokenMs: 20, idleMs: 5_000 } }),
    ).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('firstTokenMs'),
    });
    await expect(
      ask(adapter, { timeouts: { ...limits, firstTokenMs: 5_000, idleMs: 20 } }),
    ).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('idleMs'),
    });
    await model.waitForAbort(2);
  });

  it('limits the whole call, however lively it is', async () => {
    model.says('x'.repeat(10_000), { fragment: 1, delayMs: 5 });
    await expect(ask(adapter, { timeouts: { ...defaultTimeouts, totalMs: 50 } })).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('totalMs'),
    });
  });

  it('closes the connection when an abort comes in the middle', async () => {
    model.hangs({ before: 'afterChunks', chunks: 6, step: says('x'.repeat(500)) });
    const controller = new AbortController();
    const reason = new Error('interrupt');
    const reading = async (): Promise<void> => {
      for await (const chunk of adapter.call(aRequest(), controller.signal))
        if (chunk.kind === 'text') controller.abort(reason);
    };
    await expect(reading()).rejects.toBe(reason);
    await model.waitForAbort();
  });

  it('closes the connection when the reader goes away', async () => {
    model.hangs({ before: 'afterChunks', chunks: 6, step: says('x'.repeat(500)) });
    for await (const chunk of adapter.call(aRequest(), new AbortController().signal))
      if (chunk.kind === 'text') break;
    await model.waitForAbort();
  });

  it('keeps connections for later calls', async () => {
    const ports = new Set<number | undefined>();
    model.answers(() => says('hi'));
    for (let n = 0; n < 6; n += 1) {
      await ask(adapter);
      ports.add(model.requests.at(-1)!.callerPort);
    }
    expect(ports.size).toBeLessThan(6);
  });
});

describe('the adapter of chat alone', () => {
  let model: ScriptedModel;
  beforeEach(async () => void (model = await ScriptedModel.start()));
  afterEach(() => model.stop());

  it('takes an answer for whole once its finish reason has come, whatever the connection does then', async () => {
    model.raw(['data: {"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}\n\n', 'data: {"cho']);
    expect(await askGist(adapterOf(model.baseUrl, 'chat'))).toEqual({
      content: [['text', 'all']],
      finishReason: 'stop',
    });
  });

  it('takes [DONE] for an end where no finish reason comes', async () => {
    model.raw('data: {"choices":[{"delta":{"content":"all"}}]}\n\ndata: [DONE]\n\n');
    expect(await askGist(adapterOf(model.baseUrl, 'chat'))).toEqual({
      content: [['text', 'all']],
      finishReason: 'unknown',
    });
  });

  it('takes a refusal for text', async () => {
    model.raw('data: {"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}\n\n');
    expect(await askGist(adapterOf(model.baseUrl, 'chat'))).toMatchObject({ content: [['text', 'No.']] });
  });

  it('sends no thinking back', async () => {
    model.says('ok');
    const messages = [
      aMsg('user', [aText('a')]),
      aMsg('assistant', [{ type: 'thinking', id: 'b0', text: 'secret' }, aText('b')]),
    ];
    await ask(adapterOf(model.baseUrl, 'chat'), { messages });
    expect(JSON.stringify(model.requests[0]!.body)).not.toContain('secret');
  });
});

describe('the adapter of responses alone', () => {
  let model: ScriptedModel;
  beforeEach(async () => void (model = await ScriptedModel.start()));
  afterEach(() => model.stop());

  it('stores nothing with the provider, and carries encrypted reasoning back to it', async () => {
    model
      .thinks('hmm', calls('search', { q: 1 }))
      .says('done')
      .says('elsewhere');
    const adapter = adapterOf(model.baseUrl, 'responses');
    const answer = fold(await ask(adapter));
    const messages = [aMsg('user', [aText('hi')]), answer, aResult('own-1', [aText('found')])];
    await ask(adapter, { messages });
    expect(model.requests[0]!.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(model.requests[1]!.body['input']).toMatchObject([
      { role: 'user' },
      {
        type: 'reasoning',
        encrypted_content: expect.stringContaining('encrypted:'),
        summary: [{ text: 'hmm' }],
      },
      { type: 'function_call', name: 'search' },
      { type: 'function_call_output', output: 'found' },
    ]);
    await ask(adapter, { messages, model: 'another' });
    expect(JSON.stringify(model.requests[2]!.body)).not.toContain('encrypted:');
  });

  describe('with tools that the provider runs', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'weather' },
    };
    const output = [
      search,
      { type: 'message', id: 'm1', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] },
    ];
    const body = { id: 'r1', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } };
    const streamed = [
      ...output.map((item, i) => ({ type: 'response.output_item.done', output_index: i, item })),
      { type: 'response.completed', response: body },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const json = { headers: { 'content-type': 'application/json' } };

    it.each([
      ['streamed', true],
      ['whole', false],
    ])('offers them, and takes their calls with the results: %s', async (_, isStreaming) => {
      if (isStreaming) model.raw(streamed);
      else model.raw(JSON.stringify(body), json);
      const adapter = adapterOf(model.baseUrl, 'responses');
      const providerTools = [{ type: 'web_search' }];
      const message = fold(await ask(adapter, { isStreaming, providerTools }));
      expect(model.requests[0]!.body['tools']).toEqual([{ type: 'web_search' }]);
      expect(message.content).toMatchObject([
        { type: 'tool_call', name: 'web_search', arguments: '{"type":"search","query":"weather"}' },
        { type: 'text', text: 'Sunny.' },
      ]);
      expect(message.finishReason).toBe('stop');
      expect(callsOf(message)).toEqual([]);
    });

    it('sends them back as they came, and tells another model what they found', async () => {
      model.raw(streamed).says('ok').says('ok');
      const adapter = adapterOf(model.baseUrl, 'responses');
      const answer = fold(await ask(adapter));
      const messages = [aMsg('user', [aText('hi')]), answer, aMsg('user', [aText('and tomorrow?')])];
      await ask(adapter, { messages });
      const { status: _, ...kept } = search;
      expect(model.requests[1]!.body['input']).toMatchObject([
        { role: 'user' },
        kept,
        { role: 'assistant', content: 'Sunny.' },
        { role: 'user' },
      ]);
      await ask(adapterOf(model.baseUrl, 'chat'), { messages });
      expect(model.requests[2]!.messages[1]?.text).toContain('[The provider ran web_search: ');
    });

    it('are refused where the API has none', async () => {
      const asking = ask(adapterOf(model.baseUrl, 'chat'), { providerTools: [{ type: 'web_search' }] });
      await expect(asking).rejects.toThrow("api: 'responses'");
    });
  });

  it('leaves out reasoning that led to nothing, which the API would refuse', async () => {
    model.says('ok');
    const thought = {
      type: 'thinking' as const,
      id: 'b1',
      text: 'x',
      provider: { 'test/m': { type: 'reasoning', id: 'rs' } },
    };
    const messages = [
      aMsg('user', [aText('a')]),
      aMsg('assistant', [aText('b'), thought]),
      aMsg('user', [aText('c')]),
    ];
    await ask(adapterOf(model.baseUrl, 'responses'), { messages });
    expect(model.requests[0]!.body['input']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ]);
  });

  it('asks for no encrypted reasoning from a model that does not reason', async () => {
    model.says('ok');
    await ask(adapterOf(model.baseUrl, 'responses', { isReasoning: false }));
    expect(model.requests[0]!.body).not.toHaveProperty('include');
  });

  it('reads a response that failed', async () => {
    const response = { status: 'failed', error: { code: 'server_error', message: 'sorry' }, output: [] };
    model.raw(`event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response })}\n\n`);
    await expect(ask(adapterOf(model.baseUrl, 'responses'))).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('sorry'),
    });
  });
});
