import type { Browser, Page } from 'playwright-core';
import type { Agent } from '../../src/agents/agent.ts';
import { describeAgent } from '../../src/agents/describe-agent.ts';
import type { Session } from '../../src/client/index.ts';
import {
  createServer,
  listen,
  openAccess,
  type Listening,
  type ServerOptions,
} from '../../src/server/index.ts';
import { apiOwner } from './api.ts';
import { buildPages, launchBrowser, openTab, type OpenOptions } from './browser.ts';
import { startStack, type Stack, type StackOptions } from './stack.ts';

export interface Admin {
  stack: Stack;
  browser: Browser;
  url: string;
  owner: string;
  session(agent: Agent, id: string): Session;
  /** Opens that address in a tab of its own. */
  open(path: string, options?: OpenOptions): Promise<{ page: Page; complaints: string[] }>;
  closeTabs(): Promise<void>;
  /** Another server of the same stack. */
  serve(options: Partial<ServerOptions>): Promise<Listening>;
  /** The server goes away, and comes back at its address. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

interface AdminOptions extends StackOptions {
  /** Folder of the pages. Default: the admin page. */
  pages?: string;
  server?: Partial<ServerOptions>;
}

/** A stack, the server with its pages, and a browser. */
export async function startAdmin({
  pages = 'src/ui',
  server: serverOptions = {},
  ...options
}: AdminOptions): Promise<Admin> {
  const owner = apiOwner;
  const [stack, built, browser] = await Promise.all([
    startStack(options),
    buildPages(pages),
    launchBrowser(),
  ]);
  const start = (port: number, others: Partial<ServerOptions> = {}) =>
    listen(
      createServer({
        client: stack.client,
        authenticate: openAccess(owner),
        agents: () => options.agents.map(describeAgent),
        adminPage: built.folder,
        schedules: stack.client.schedules,
        pipelines: stack.client.pipelines,
        ...serverOptions,
        ...others,
      }),
      { port },
    );
  let listening = await start(0);
  const { url, port } = listening;
  return {
    stack,
    browser,
    url,
    owner,
    session: (agent, id) => stack.client.session({ owner, id, agent: agent.name }),
    async open(path, openOptions) {
      const tab = await openTab(browser, openOptions);
      await tab.page.goto(`${url}${path}`);
      return tab;
    },
    async closeTabs() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    serve: (others) => start(0, others),
    stopServer: () => listening.close(100),
    async startServer() {
      listening = await start(port);
    },
    async stop() {
      await browser.close();
      await listening.close(100);
      await stack.stop();
      await built.remove();
    },
  };
}
