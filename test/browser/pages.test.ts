import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Agent } from '../../src/agents/agent.ts';
import { calls, says, thinks, type Step } from '../../src/testing/index.ts';
import { askUser } from '../../src/tools/ask-user.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { OutcomeUnknownError } from '../../src/tools/outcome-unknown.ts';
import { openTurn, userMessage } from '../store/sample-session.ts';
import { startAdmin, type Admin } from '../support/admin.ts';
import { describeInBrowser, violationsOf } from '../support/browser.ts';

const screenshots = fileURLToPath(new URL('../../test-results/screenshots', import.meta.url));

const lookUp = defineTool({
  name: 'look_up_order',
  description: 'Looks up an order',
  input: z.object({ orderId: z.string() }),
  readOnly: true,
  concurrencySafe: true,
  execute: ({ orderId }) => ({ orderId, status: 'delivered', total: 49.9, items: ['teapot', 'two cups'] }),
});
const refund = defineTool({
  name: 'refund_order',
  description: 'Refunds an order to the customer',
  input: z.object({ orderId: z.string(), amount: z.number(), note: z.string().optional() }),
  permission: () => ({ behavior: 'ask' as const, reason: 'refunds are approved by a person' }),
  suggestRules: ({ orderId }) => [
    { tool: 'refund_order', pattern: `orderId=${orderId}`, behavior: 'allow' },
    { tool: 'refund_order', behavior: 'allow' },
  ],
  execute: () => 'refunded',
});
const edit = defineTool({
  name: 'edit_page',
  description: 'Edits a page of the help center',
  input: z.object({ path: z.string(), oldText: z.string(), newText: z.string() }),
  permission: 'ask',
  execute: () => 'edited',
});
const ship = defineTool({
  name: 'ship_parcel',
  description: 'The warehouse ships a parcel, and tells when it has',
  input: z.object({ orderId: z.string() }),
  external: true,
  permission: 'allow',
});
const wire = defineTool({
  name: 'wire_money',
  description: 'Wires money by the bank',
  input: z.object({ iban: z.string(), amount: z.number() }),
  permission: 'allow',
  execute: () => {
    throw new OutcomeUnknownError('The bank took the order, and did not answer');
  },
});
const count = defineTool({
  name: 'count_stock',
  description: 'Counts what is in stock, until it is stopped',
  input: z.object({}),
  permission: 'allow',
  backgroundAfterMs: 1,
  execute: (_, { signal }) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
});
const model = 'openai/gpt-test';
const support = defineAgent({
  name: 'support',
  description: 'Helps customers of a shop with their orders',
  model,
  instructions: 'Help.',
  tools: [lookUp, refund, edit, ship, wire, count, askUser()],
  tasks: true,
});
const clerk = defineAgent({
  name: 'clerk',
  description: 'Refunds',
  model,
  instructions: 'You work.',
  tools: [refund],
});
const lead = defineAgent({
  name: 'lead',
  model,
  instructions: 'You are in charge.',
  team: { templates: [clerk] },
});

const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
const markdown = `The order came **on time**. What I can do:

1. refund the teapot, \`49.90\` euros
2. send another one

| item   | price |
| ------ | ----- |
| teapot | 49.90 |

> All prices with tax. See [our terms](https://shop.example/terms).

\`\`\`sql
select * from orders where id = 1001;
\`\`\``;

describeInBrowser('the pages', () => {
  let admin: Admin;
  const run = async (agent: Agent, id: string, input: string, ...steps: Step[]) => {
    admin.stack.model.when(({ messages }) => messages.some(({ text }) => text === input)).queue(...steps);
    const turn = await admin.session(agent, id).submit(input);
    return turn.result();
  };

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    admin = await startAdmin({
      agents: [support, lead],
      server: {
        temporalWeb: { url: 'http://localhost:8233', namespace: 'default' },
        prices: { [model]: { input: 1, output: 10 } },
      },
    });
    admin.stack.model
      .when(({ system }) => system.includes('You are ann, a member'))
      .queue(calls('refund_order', { orderId: '1007', amount: 12 }), says('Refunded.'));
    await admin.stack.client.schedules.create({
      owner: admin.owner,
      id: 'morning',
      agent: 'support',
      input: 'Look through what is open.',
      cron: '0 8 * * *',
    });
    admin.stack.model
      .when(({ messages }) => messages.some(({ text }) => text === 'Greet all.'))
      .says('All are greeted.');
    const { pipelines } = admin.stack.client;
    const flow = { kind: 'turn' as const, agent: 'support' };
    const greeting = await pipelines.start({ owner: admin.owner, id: 'greeting', input: 'Greet all.', flow });
    await Promise.all([
      greeting.result(),
      run(
        support,
        'case-42',
        'My teapot, order 1001, came with a crack. Can I have my money back?',
        thinks(
          'Two orders could be meant: **look both up**, and keep a plan.',
          calls([
            ['look_up_order', { orderId: '1001' }],
            ['look_up_order', { orderId: '1002' }],
            ['task_create', { subject: 'Find the order', description: 'Which one it is' }],
            ['task_create', { subject: 'Refund the teapot', description: 'After an approval' }],
          ]),
        ),
        thinks('It is the first.', says(markdown)),
      ).then(() =>
        run(
          support,
          'case-42',
          'The refund, please.',
          calls(
            'refund_order',
            { orderId: '1001', amount: 49.9, note: 'Cracked teapot' },
            { text: 'I ask for it.' },
          ),
        ),
      ),
      run(
        support,
        'help-center',
        'Say that returns take 30 days.',
        calls('edit_page', {
          path: 'returns.md',
          oldText: '# Returns\n\nSend it back within 14 days.\nWe pay the parcel.\n',
          newText: '# Returns\n\nSend it back within 30 days.\nWe pay the parcel.\n',
        }),
      ),
      run(
        support,
        'question',
        'Send it again.',
        calls('ask_user', {
          question: 'Which address shall the parcel go to?',
          options: [{ label: 'Home', description: 'Elm Street 1' }, { label: 'Work' }],
        }),
      ),
      run(support, 'parcel', 'Ship 1003.', calls('ship_parcel', { orderId: '1003' }), says('It is shipped.')),
      run(
        support,
        'shop-key',
        'Renew the key.',
        calls('ask_user', { question: 'Which key does the shop want?', secret: true }),
        says('It is renewed.'),
      ),
      run(
        support,
        'wired',
        'Wire it.',
        calls('wire_money', { iban: 'DE02 1203 0000', amount: 20 }),
        says('It is wired.'),
      ),
      run(
        support,
        'evil',
        `${evil} hello`,
        calls([
          [`x${evil}`, { a: 1 }],
          ['task_create', { subject: evil, description: evil }],
        ]),
        says(
          `${evil} [click](javascript:window.pwned=1) ![x](javascript:window.pwned=1)\n\n<b onclick="pwned()">bold</b>`,
        ),
      ).then(() =>
        run(support, 'evil', 'again', calls('refund_order', { orderId: evil, amount: 1, note: evil })),
      ),
      run(
        lead,
        'team',
        'Refund order 1007 as a team.',
        calls('team_create', { name: 'refunds <b>of May</b>', description: `Refunds what is due ${evil}` }),
        calls('agent_create', {
          name: 'ann',
          template: 'clerk',
          description: 'Refunds',
          prompt: 'Refund 1007.',
        }),
        says('Ann is at it.'),
      ),
    ]);
  });
  afterAll(() => admin.stop());
  afterEach(() => admin.closeTabs());

  /** What the page is to whom it is shown: no violation of axe in light and dark, nothing wider than the window, pictures of both widths. */
  async function look(page: Page, name: string): Promise<void> {
    expect(await violationsOf(page), `${name} (light)`).toEqual([]);
    await page.screenshot({ path: join(screenshots, `${name}-1280.png`) });
    await page.emulateMedia({ colorScheme: 'dark' });
    // Nothing but colors differs.
    expect(await violationsOf(page, ['color-contrast']), `${name} (dark)`).toEqual([]);
    await page.screenshot({ path: join(screenshots, `${name}-1280-dark.png`) });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 844 });
    // As text: DOM types are no part of the tests' project.
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow), `${name}: wider than 390 pixels`).toBe(0);
    await page.screenshot({ path: join(screenshots, `${name}-390.png`) });
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  const pages: [name: string, path: string, ready: string][] = [
    ['gates', '/gates', 'Which address shall the parcel go to?'],
    ['sessions', '/sessions', 'help-center'],
    ['session', '/sessions/case-42', 'I ask for it.'],
    ['session-team', '/sessions/team', 'leads refunds'],
    ['turn', '/sessions/case-42/turns/1', 'look_up_order'],
    ['turn-waiting', '/sessions/case-42/turns/2', 'refund_order waits'],
    ['agents', '/agents', 'Helps customers of a shop'],
    ['schedules', '/schedules', '0 8 * * *'],
    ['usage', '/usage', 'By agent'],
    ['health', '/health', 'Temporal'],
    ['missing', '/nowhere', 'There is no such page'],
    ['no-session', '/sessions/nobody', 'There is no such session'],
  ];
  it('are accessible and fit, each of them', async () => {
    const { page, complaints } = await admin.open('/');
    for (const [name, path, ready] of pages) {
      // As links of the page do, so that it is loaded once, and what checks it too.
      await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new Event('popstate'))`);
      await page.locator('main').getByText(ready).first().waitFor();
      await look(page, name);
      expect(complaints, name).toEqual([]);
    }
  });

  it('shows markup in messages, calls, arguments, tasks and teams as the text that it is', async () => {
    const { page, complaints } = await admin.open('/sessions/evil');
    await page.getByRole('article').getByText(evil).first().waitFor();
    await page.evaluate(
      `document.querySelectorAll('details').forEach((one) => one.setAttribute('open', ''))`,
    );
    const text = await page.locator('body').textContent();
    expect(text?.split(evil).length).toBeGreaterThan(5);
    expect(await page.locator('main :is(img, script, b)').count()).toBe(0);
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    await page.goto(`${admin.url}/sessions/team`);
    await page.getByRole('complementary').getByText(`Refunds what is due ${evil}`).waitFor();
    await page.getByText('leads refunds <b>of May</b>').waitFor();
    expect(await page.locator('main :is(img, script, b)').count()).toBe(0);
    await page.goto(`${admin.url}/gates`);
    await page.getByText(evil).first().waitFor();
    await page.getByText('clerk · ann · team.ann').waitFor();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('takes a secret answer, the result of a system, and what became of a call, each by its form', async () => {
    const { page, complaints } = await admin.open('/gates');
    const gate = (text: string) => page.getByRole('article').filter({ hasText: text });
    const replyOf = async (id: string) =>
      (await admin.session(support, id).turn(1).result({ until: 'end' })).text;

    const secret = gate('Which key does the shop want?').getByLabel('Your answer, a secret');
    expect(await secret.getAttribute('type')).toBe('password');
    await secret.fill('s3cr3t-of-shop');
    await page.keyboard.press('Enter');
    await gate('Which key does the shop want?').waitFor({ state: 'detached' });
    expect(await replyOf('shop-key')).toBe('It is renewed.');
    const kept = JSON.stringify(await admin.session(support, 'shop-key').messages());
    expect(kept).toContain('ask_user');
    expect(kept).not.toContain('s3cr3t-of-shop');

    await gate('1003').getByText('Submit its result by hand').click();
    await page.getByLabel('Result of ship_parcel').fill('left at 9');
    await page.getByRole('button', { name: 'Submit result' }).click();
    await gate('1003').waitFor({ state: 'detached' });
    expect(await replyOf('parcel')).toBe('It is shipped.');
    expect(JSON.stringify(await admin.session(support, 'parcel').messages())).toContain('left at 9');

    const happened = gate('DE02').getByRole('button', { name: 'It happened' });
    expect(await happened.isDisabled()).toBe(true);
    await gate('DE02').getByLabel('How you found out').fill('asked the bank');
    await happened.click();
    await gate('DE02').waitFor({ state: 'detached' });
    expect(await replyOf('wired')).toBe('It is wired.');
    const { items } = await admin.session(support, 'wired').audit();
    expect(items.at(-1)).toMatchObject({ tool: 'wire_money', reason: 'asked the bank' });
    expect(complaints).toEqual([]);
  });

  it('opens long lists and long sessions by pages, and goes on live at their end', async () => {
    const { store } = admin.stack.content;
    const many = Array.from({ length: 25 }, (_, index) => `aside-${index}`);
    for (const sessionId of many) await store.sessions.open({ owner: admin.owner, sessionId }, 'support');
    const long = { owner: admin.owner, sessionId: 'long' };
    await store.sessions.open(long, 'support');
    await openTurn(store, long, 1);
    const helper = { owner: admin.owner, sessionId: 'long.helper' };
    const below = { parent: 'long', kind: 'subagent', name: 'helper', relay: 'all' } as const;
    await store.sessions.open(helper, 'support', below);
    const said = (from: number, to: number) =>
      store.messages.append(
        long,
        Array.from({ length: to - from + 1 }, (_, index) =>
          userMessage(`said-${from + index}`, `Message ${from + index}.`),
        ),
      );
    await said(1, 1_100);

    const { page, complaints } = await admin.open('/sessions');
    await page.getByRole('link', { name: 'long', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'case-42' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'case-42' }).waitFor();

    await page.getByRole('link', { name: 'long', exact: true }).click();
    await page.getByText('Message 1100.', { exact: true }).waitFor();
    expect(await page.locator('.message').count()).toBe(50);
    await page.getByRole('complementary').getByRole('link', { name: 'helper' }).waitFor();
    await page.getByRole('button', { name: 'Show earlier messages' }).click();
    await page.getByText('Message 1001.', { exact: true }).waitFor();
    await said(1_101, 1_101);
    await page.getByText('Message 1101.', { exact: true }).waitFor();
    expect(await page.locator('.message').count()).toBe(101);
    expect(complaints).toEqual([]);
  });

  it('shows what goes on in the background, and stops it', async () => {
    await run(
      support,
      'stock',
      'Count it.',
      calls('count_stock', {}),
      says('It is being counted.'),
      says('Then I stop here.'),
    );
    const { page, complaints } = await admin.open('/sessions/stock');
    const task = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'count_stock' });
    await task.getByText('running').waitFor();
    await task.getByRole('button', { name: 'Stop count_stock' }).click();
    await task.getByText('cancelled').waitFor();
    await page.getByText('Then I stop here.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('tells what a pipeline came to; pauses, resumes, runs and deletes a schedule', async () => {
    const { page, complaints } = await admin.open('/schedules');
    const pipeline = page.getByRole('row').filter({ hasText: 'greeting' });
    await pipeline.getByText('done').waitFor();
    await pipeline.getByText('Outcome').click();
    await pipeline.getByText('All are greeted.').waitFor();

    admin.stack.model
      .when(({ messages }) => messages.some(({ text }) => text === 'Look through what is open.'))
      .says('All is well.');
    const row = page.getByRole('row').filter({ hasText: 'morning' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused by acme').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('resumed by acme').waitFor();
    await row.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('log').getByText('morning was told to run now').waitFor();
    const runs = async () =>
      (await admin.stack.client.schedules.get(admin.owner, 'morning'))?.recentRuns.length;
    await expect.poll(runs, { timeout: 20_000 }).toBe(1);
    await row.getByRole('button', { name: 'Delete …' }).click();
    await row.getByRole('button', { name: 'Keep' }).click();
    expect(await page.locator(':focus').textContent()).toContain('Delete …');
    await row.getByRole('button', { name: 'Delete …' }).click();
    await row.getByRole('button', { name: 'Delete morning' }).click();
    await page.getByText('There are no schedules').waitFor();
    expect(complaints).toEqual([]);
  });

  it("answers a worker's gate from its leader's page", async () => {
    const { page } = await admin.open('/sessions/team');
    const gate = page.getByRole('article').filter({ hasText: '1007' });
    await gate.getByText('ann').waitFor();
    await gate.getByRole('button', { name: 'Approve refund_order' }).click();
    await gate.waitFor({ state: 'detached' });
    const worker = admin.stack.client.session({ owner: admin.owner, id: 'team.ann' });
    expect((await worker.turn(1).result({ until: 'end' })).text).toBe('Refunded.');
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await admin.open('/gates');
    await page.getByText('Which address').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Usage' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await page.locator('main:focus').count()).toBe(1);
    expect(await page.title()).toBe('Usage · Durascope');

    await page.getByRole('link', { name: 'Gates' }).focus();
    await page.keyboard.press('Enter');
    const edits = page.getByRole('article').filter({ hasText: 'edit_page' });
    await edits.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').textContent()).toBe('Deny edit_page');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await edits.waitFor({ state: 'detached' });
    await page.locator('article:focus').waitFor();
  });
});
