import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ChatStatus, UIMessage } from 'ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { breaksAfter, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { holdTool } from '../support/hold-tool.ts';
import { Latch } from '../support/latch.ts';
import { startStack, type Stack } from '../support/stack.ts';

let entered = new Latch();
let letGo = new Latch();
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  permission: 'ask',
  execute: ({ amount }) => ({ paid: amount }),
});
const hold = holdTool(() => ({ entered, gate: letGo }), 'holding');
const locate = defineTool({
  name: 'locate',
  description: 'Asks the page where it is',
  input: z.object({}),
  external: true,
  permission: 'allow',
});
const agent = defineAgent({
  name: 'payer',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay, hold, locate],
});

let stack: Stack;
let api: TestApi;
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  api = await startApi(stack, { agents: [agent], owner: 'ui-chat' });
});
afterEach(() => stack.model.assertDone());
afterAll(async () => {
  await api.close();
  await stack.stop();
});

/** What a page keeps: the AI SDK's own chat, without a view. */
class PageChat extends AbstractChat<UIMessage> {
  constructor(id: string, messages: UIMessage[] = [], fetch: typeof globalThis.fetch = globalThis.fetch) {
    const state = {
      status: 'ready' as ChatStatus,
      error: undefined,
      messages,
      pushMessage: (message: UIMessage) => state.messages.push(message),
      popMessage: () => state.messages.pop(),
      replaceMessage: (index: number, message: UIMessage) => {
        state.messages[index] = structuredClone(message);
      },
      snapshot: <T>(value: T) => structuredClone(value),
    };
    super({
      id,
      state,
      transport: new DefaultChatTransport({ api: `${api.url}/v1/agents/payer/chat`, fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  /** Id of the newest call. */
  get lastCall(): string {
    const parts = this.messages.flatMap((message) => message.parts);
    return parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.toolCallId] : [])).at(-1) ?? '';
  }

  /** The last message's parts, in short. */
  get parts(): unknown[] {
    return (this.messages.at(-1)?.parts ?? []).flatMap((part): unknown[] => {
      if (part.type === 'text') return [part.text];
      if (part.type === 'dynamic-tool') return [[part.toolName, part.state]];
      return part.type === 'step-start' ? [] : [part.type];
    });
  }
}

/** Waits for what the SDK does on its own after an answer. */
async function settled(chat: PageChat, isDone: () => boolean): Promise<void> {
  await expect.poll(() => chat.status === 'ready' && isDone(), { timeout: 30_000 }).toBe(true);
}

async function reloaded(id: string): Promise<PageChat> {
  const { body } = await api.get(`/v1/agents/payer/chat/${id}/messages`);
  return new PageChat(id, (body as { messages: UIMessage[] }).messages);
}

describe('useChat of the AI SDK', () => {
  it('streams an answer into one message', async () => {
    stack.model.thinks('hmm', says('Hello there.'));
    const chat = new PageChat('plain');
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(chat.parts).toEqual(['reasoning', 'Hello there.']);
    expect(chat.messages[1]?.id).toBe('turn/ui-chat/plain/1');
    expect((await reloaded('plain')).parts).toEqual(['reasoning', 'Hello there.']);
  });

  it('approves a call, and goes on in the same message', async () => {
    stack.model.calls('pay', { amount: 5 }, { text: 'Paying.' }).says('Paid.');
    const chat = new PageChat('approve');
    await chat.sendMessage({ text: 'Pay' });
    expect(chat.parts).toEqual(['Paying.', ['pay', 'approval-requested']]);
    await chat.addToolApprovalResponse({ id: chat.lastCall, approved: true, reason: 'fine' });
    await settled(chat, () => chat.parts.includes('Paid.'));
    expect(chat.messages).toHaveLength(2);
    expect(chat.parts).toEqual(['Paying.', ['pay', 'output-available'], 'Paid.']);
    const { body } = await api.get('/v1/sessions/approve/audit');
    expect(body.items.at(-1)).toMatchObject({ by: 'person', reason: 'fine' });
  });

  it('approves after a reload, where the stream is replayed', async () => {
    stack.model.calls('pay', { amount: 5 }).calls('pay', { amount: 6 }).says('Paid twice.');
    await new PageChat('reload').sendMessage({ text: 'Pay' });
    for (const expected of [
      ['pay', 'approval-requested'],
      ['pay', 'output-available'],
    ]) {
      const chat = await reloaded('reload');
      expect(chat.messages.map(({ role }) => role)).toEqual(['user']);
      await chat.resumeStream();
      expect(chat.parts[0]).toEqual(expected);
      await chat.addToolApprovalResponse({ id: chat.lastCall, approved: true });
      await settled(chat, () => chat.parts.some((part) => part === 'Paid twice.') || chat.parts.length === 2);
    }
    const chat = await reloaded('reload');
    expect(chat.parts).toEqual([['pay', 'output-available'], ['pay', 'output-available'], 'Paid twice.']);
    expect((await api.get('/v1/agents/payer/chat/reload/stream')).status).toBe(204);
  });

  it('denies a call, which the model reads', async () => {
    stack.model.calls('pay', { amount: 5 }).says('Not paid.');
    const chat = new PageChat('deny');
    await chat.sendMessage({ text: 'Pay' });
    await chat.addToolApprovalResponse({ id: chat.lastCall, approved: false, reason: 'too much' });
    await settled(chat, () => chat.parts.includes('Not paid.'));
    expect(chat.parts).toEqual([['pay', 'output-denied'], 'Not paid.']);
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toContain('too much');
  });

  it('takes up a stream that broke, while a tool still runs', async () => {
    [entered, letGo] = [new Latch(), new Latch()];
    stack.model.calls('hold', {}, { text: 'Holding.' }).says('Done.');
    const dropped = new AbortController();
    const chat = new PageChat('dropped', [], (url, init) => fetch(url, { ...init, signal: dropped.signal }));
    const sending = chat.sendMessage({ text: 'Hold' }).catch(() => undefined);
    await entered.promise;
    dropped.abort();
    await sending;
    const back = await reloaded('dropped');
    const resumed = back.resumeStream();
    await expect
      .poll(() => back.parts, { timeout: 30_000 })
      .toEqual(['Holding.', ['hold', 'input-available']]);
    letGo.open();
    await resumed;
    expect(back.parts).toEqual(['Holding.', ['hold', 'output-available'], 'Done.']);
  });

  it('drops what a failed attempt of the model had said', async () => {
    stack.model.queue(breaksAfter(3, says('This text is cut off and not kept.'))).says('Whole.');
    const chat = new PageChat('retried');
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.parts).toEqual(['Whole.']);
  });

  it('runs a tool of the page', async () => {
    stack.model.calls('locate', {}).says('You are in Ulm.');
    const chat = new PageChat('page');
    await chat.sendMessage({ text: 'Where am I?' });
    expect(chat.parts).toEqual([['locate', 'input-available']]);
    await chat.addToolOutput({
      tool: 'locate' as never,
      toolCallId: chat.lastCall,
      output: 'Ulm',
    });
    await chat.sendMessage();
    expect(chat.parts).toEqual([['locate', 'output-available'], 'You are in Ulm.']);
  });

  it('says what is wrong, and changes nothing', async () => {
    const post = (body: unknown) => api.post('/v1/agents/payer/chat', body);
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
    expect(await post({ id: 'a b', messages: [message] })).toMatchObject({ status: 400 });
    expect(await post({ id: 'wrong', messages: [] })).toMatchObject({ status: 400 });
    expect(await post({ id: 'wrong', messages: [message], trigger: 'regenerate-message' })).toMatchObject({
      status: 400,
    });
    const foreign = { id: 'm2', role: 'assistant', parts: [] };
    expect(await post({ id: 'wrong', messages: [foreign] })).toMatchObject({ status: 409 });
    const stranger = await api.post('/v1/agents/nobody/chat', { id: 'wrong', messages: [message] });
    expect(stranger).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await api.get('/v1/sessions/wrong')).status).toBe(404);
  });
});
