import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { calls, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startAdmin, type Admin } from '../support/admin.ts';
import { describeInBrowser } from '../support/browser.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  permission: 'ask',
  idempotent: true,
  execute: ({ amount }) => `paid ${amount}`,
});
const agent = defineAgent({ name: 'shop', model: 'openai/gpt-test', instructions: 'Sell.', tools: [pay] });

describeInBrowser('useSession, in examples/chat-app', () => {
  let app: Admin;
  beforeAll(async () => {
    app = await startAdmin({ agents: [agent], pages: 'examples/chat-app' });
  });
  afterAll(() => app.stop());

  it('begins a session, streams, waits at a gate, resumes after the server was lost, and shows each thing once', async () => {
    app.stack.model
      .says('First answer.', { fragment: 5, delayMs: 50 })
      .calls('pay', { amount: 7 }, { text: 'I pay.' })
      .says('It is paid.')
      .says('Third answer.');
    const { page, complaints } = await app.open('/?session=chat&agent=shop');
    const state = page.getByRole('status');
    await state.getByText('absent').waitFor();
    const say = async (text: string): Promise<void> => {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
    };
    await say('one');
    await page.getByText('First answer.').waitFor();
    await state.getByText('idle').waitFor();
    await say('two');
    await page.getByText('pay asks to run with {"amount":7}').waitFor();
    expect(await state.textContent()).toBe('waiting');

    await app.stopServer();
    await state.getByText('lost').waitFor();
    const session = app.session(agent, 'chat');
    const [call] = (await session.get())?.pending ?? [];
    await session.confirm([{ callId: call!.callId, decision: 'allow' }]);
    await session.turn(2).result({ until: 'end' });
    await app.startServer();
    await page.getByText('It is paid.').waitFor();
    await state.getByText('idle').waitFor();
    expect(await page.locator('.gate').count()).toBe(0);

    await page.reload();
    await page.getByText('It is paid.').waitFor();
    await say('three');
    await page.getByText('Third answer.').waitFor();
    expect(await page.locator('main p').allTextContents()).toEqual([
      'one',
      'First answer.',
      'two',
      'I pay.',
      'uses pay',
      'It is paid.',
      'three',
      'Third answer.',
      expect.stringMatching(/idle|running/) as string,
    ]);
    expect(complaints).toEqual([]);
  });

  it('says why a session can not be followed', async () => {
    app.stack.model.queue(says('Hello.'), calls('pay', { amount: 1 }));
    const { page } = await app.open('/?session=not%20an%20id&agent=shop');
    await page.getByRole('status').getByText('sessionId').waitFor();
  });
});
