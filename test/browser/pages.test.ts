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
const model = 'openai/gpt-test';
const support = defineAgent({
  name: 'support',
  description: 'Helps customers of a shop with their orders',
  model,
  instructions: 'Help.',
  tools: [lookUp, refund, edit, ship, askUser()],
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
    await Promise.all([
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
      run(support, 'parcel', 'Ship 1003.', calls('ship_parcel', { orderId: '1003' })),
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
        calls('team_create', { name: 'refunds', description: `Refunds what is due ${evil}` }),
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
    await page.goto(`${admin.url}/gates`);
    await page.getByText(evil).first().waitFor();
    await page.getByText('clerk · ann · team.ann').waitFor();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
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
  });
});
