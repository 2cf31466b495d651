import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { calls, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startAdmin, type Admin } from '../support/admin.ts';
import { Problem } from '../../src/server/index.ts';
import { describeInBrowser } from '../support/browser.ts';

const paid: number[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number().positive() }),
  permission: 'ask',
  idempotent: true,
  suggestRules: ({ amount }) => [
    { tool: 'pay', pattern: `amount=${amount}`, behavior: 'allow' },
    { tool: 'pay', behavior: 'allow' },
  ],
  execute: ({ amount }) => {
    paid.push(amount);
    return `paid ${amount}`;
  },
});
const payer = defineAgent({ name: 'payer', model: 'openai/gpt-test', instructions: 'Pay.', tools: [pay] });
const story = Array.from({ length: 12 }, (_, index) => `[part ${index + 1} of it]`).join(' ');

describeInBrowser('the admin page', () => {
  let admin: Admin;
  beforeAll(async () => {
    admin = await startAdmin({ agents: [payer] });
    // By the last user message: `pay 10` pays, and says what came of it; `tell` tells slowly.
    admin.stack.model.answers(({ lastUserText, messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return says(`The tool said: ${last.text}`);
      const amounts = /^pay ([\d ]+)$/.exec(lastUserText)?.[1]?.split(' ').map(Number);
      if (amounts) return calls(amounts.map((amount) => ['pay', { amount }] as const));
      if (lastUserText === 'tell') return says(story, { fragment: 17, delayMs: 150 });
      return says(`You said: ${lastUserText}`);
    });
  });
  afterAll(() => admin.stop());
  afterEach(() => admin.closeTabs());

  const gate = (page: Page, amount: number) => page.getByRole('article').filter({ hasText: String(amount) });
  const submit = (id: string, input: string) => admin.session(payer, id).submit(input);
  /** Another way to see what became of it. */
  const replyOf = async (id: string) =>
    (await admin.session(payer, id).turn(1).result({ until: 'end' })).text;

  it('begins a session, shows its answer as it is written, and goes on where it was after a reload', async () => {
    const { page, complaints } = await admin.open('/sessions');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByLabel('Message').fill('tell');
    await page.keyboard.press('Enter');
    await page.getByText('[part 2 of it]').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('[part 12 of it]');
    await page.reload();
    await page.getByText('[part 12 of it]').waitFor();
    expect(await page.locator('.message.assistant .markdown').allTextContents()).toEqual([story]);
    expect(complaints).toEqual([]);
  });

  it('approves with edited arguments, after the server has refused some that do not fit', async () => {
    const { page } = await admin.open('/gates');
    await submit('edited', 'pay 11');
    await gate(page, 11).getByRole('button', { name: 'Edit pay' }).click();
    const editor = page.getByLabel('Arguments of pay, as JSON');
    await editor.fill('{"amount": -1}');
    await page.getByRole('button', { name: 'Approve with these arguments' }).click();
    await page
      .getByRole('alert')
      .getByText(/amount/)
      .waitFor();
    await editor.fill('{"amount": 12}');
    await page.getByRole('button', { name: 'Approve with these arguments' }).click();
    await gate(page, 11).waitFor({ state: 'detached' });
    expect(await replyOf('edited')).toBe('The tool said: paid 12');
  });

  it('denies with a reason, which the agent reads', async () => {
    const { page } = await admin.open('/gates');
    await submit('denied', 'pay 21');
    await gate(page, 21).getByRole('button', { name: 'Deny pay' }).click();
    await page.getByLabel('Reason, which the agent reads').fill('not in this quarter');
    await page.keyboard.press('Enter');
    await gate(page, 21).waitFor({ state: 'detached' });
    expect(await replyOf('denied')).toContain('not in this quarter');
    expect(paid).not.toContain(21);
  });

  it('remembers the rule that was chosen, so that the like is asked no more', async () => {
    const { page } = await admin.open('/gates');
    await submit('remembered', 'pay 31');
    await gate(page, 31).getByLabel('Remember for this session').selectOption('pay(amount=31)');
    await gate(page, 31).getByRole('button', { name: 'Approve pay' }).click();
    await gate(page, 31).waitFor({ state: 'detached' });
    await replyOf('remembered');
    const again = await submit('remembered', 'pay 31');
    expect((await again.result()).finishReason).toBe('model_stop');
    await page.goto(`${admin.url}/sessions/remembered`);
    await page.getByText('allow pay(amount=31)').waitFor();
  });

  it('answers several at once', async () => {
    const { page } = await admin.open('/gates');
    await Promise.all([submit('several-1', 'pay 41'), submit('several-2', 'pay 42')]);
    await gate(page, 41).waitFor();
    await gate(page, 42).waitFor();
    await page.getByLabel('All that ask').check();
    await page.getByRole('button', { name: 'Approve 2 selected' }).click();
    await page.getByText('Nothing waits').waitFor();
    expect(await replyOf('several-1')).toBe('The tool said: paid 41');
    expect(await replyOf('several-2')).toBe('The tool said: paid 42');
  });

  it('takes one answer of two tabs that answer at once, and tells the other of it', async () => {
    const [one, two] = await Promise.all([admin.open('/gates'), admin.open('/gates')]);
    await submit('twice', 'pay 51');
    const buttons = [one, two].map(({ page }) => gate(page, 51).getByRole('button', { name: 'Approve pay' }));
    await Promise.all(buttons.map((button) => button.waitFor()));
    await Promise.all(buttons.map((button) => button.click()));
    for (const { page } of [one, two]) await gate(page, 51).waitFor({ state: 'detached' });
    await expect.poll(async () => noticesOf(one.page, two.page), { timeout: 20_000 }).toMatch(/pay/);
    expect(await replyOf('twice')).toBe('The tool said: paid 51');
    expect(paid.filter((amount) => amount === 51)).toEqual([51]);
  });

  it('says what others have answered meanwhile', async () => {
    const { page } = await admin.open('/gates');
    const turn = await submit('elsewhere', 'pay 61');
    await gate(page, 61).waitFor();
    const [call] = (await turn.result()).pending;
    const results = [{ callId: call!.callId, decision: 'deny' as const, reason: 'too much' }];
    await admin.session(payer, 'elsewhere').confirm(results, { actor: 'ann' });
    await page.getByText('pay in session elsewhere was denied by ann').waitFor();
    await gate(page, 61).waitFor({ state: 'detached' });
  });

  it('says that the server is lost, and goes on by itself when it is back', async () => {
    const { page, complaints } = await admin.open('/sessions/lost?agent=payer');
    await page.getByLabel('Message').fill('one');
    await page.keyboard.press('Enter');
    await page.getByText('You said: one').waitFor();
    await admin.stopServer();
    await page.getByText('The server does not answer').waitFor();
    const turn = await submit('lost', 'two');
    await turn.result({ until: 'end' });
    await admin.startServer();
    await page.getByText('You said: two').waitFor();
    await page.getByText('The server does not answer').waitFor({ state: 'detached' });
    expect(await page.getByText('You said: one').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('interrupts a turn, and steers one', async () => {
    const { page } = await admin.open('/sessions/stopped?agent=payer');
    await page.getByLabel('Message').fill('pay 71');
    await page.keyboard.press('Enter');
    await gate(page, 71).waitFor();
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await gate(page, 71).waitFor({ state: 'detached' });
    await page.locator('.turn-head').getByText('interrupted').waitFor();
    expect(paid).not.toContain(71);

    await page.getByLabel('Message').fill('pay 72');
    await page.getByRole('button', { name: 'Send' }).click();
    await gate(page, 72).waitFor();
    await page.getByLabel('Message').fill('in euros');
    await page.getByRole('button', { name: 'Steer' }).click();
    await gate(page, 72).getByRole('button', { name: 'Approve pay' }).click();
    await page.locator('.message.user').getByText('in euros').waitFor();
    await page.getByText('You said: in euros').waitFor();
  });

  it('asks for a key where the server wants one, and keeps it in the tab only', async () => {
    const keyed = await admin.serve({
      authenticate: async (request) => {
        const given = request.headers.get('authorization');
        if (given === null) return undefined;
        if (given !== 'Bearer secret') throw new Problem('unauthenticated', 'The key is not valid');
        return { owner: admin.owner, id: 'ann', roles: [], scopes: ['read'] };
      },
    });
    const { page, complaints } = await admin.open('/health');
    await page.goto(`${keyed.url}/health`);
    await page.getByLabel('Key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not take this key').waitFor();
    await page.getByLabel('Key').fill('secret');
    await page.keyboard.press('Enter');
    await page.getByText('You are ann').waitFor();
    await page.reload();
    await page.getByText('You are ann').waitFor();
    expect(await page.evaluate('localStorage.getItem("durascope.key")')).toBeNull();

    await submit('not-allowed', 'pay 81');
    await page.getByRole('link', { name: 'Gates' }).click();
    await gate(page, 81).getByRole('button', { name: 'Approve pay' }).click();
    await gate(page, 81).getByRole('alert').getByText('scope approve').waitFor();
    await page.getByRole('button', { name: 'Forget key' }).click();
    await page.getByLabel('Key').waitFor();
    expect(complaints).toEqual([]);
    await keyed.close(100);
  });

  async function noticesOf(...pages: Page[]): Promise<string> {
    return (await Promise.all(pages.map((page) => page.getByRole('log').textContent()))).join();
  }
});
