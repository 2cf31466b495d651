import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { describe } from 'vitest';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A Chromium of this machine: `CHROMIUM_PATH`, else the first of the usual names on PATH. */
function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env['CHROMIUM_PATH'] ?? '', ...candidates].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const executablePath = findBrowser();

/**
 * `describe` where there is a browser; without one it says loudly what is not tested, and in CI it fails, unless DURASCOPE_NO_BROWSER says that none
 * can be had.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  const hint = 'install chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH';
  const { CI, DURASCOPE_NO_BROWSER } = process.env;
  if (executablePath === undefined && CI !== undefined && DURASCOPE_NO_BROWSER === undefined)
    throw new Error(`There is no browser to test with: ${hint}`);
  if (executablePath === undefined)
    console.warn(`\n  NOT TESTED, no browser found: ${name}. To test it, ${hint}.\n`);
  describe.skipIf(executablePath === undefined)(name, tests);
}

export function launchBrowser(): Promise<Browser> {
  // In containers tests run as root, whom Chromium wants without its sandbox, and /dev/shm is small.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args });
}

export interface OpenOptions {
  width?: number;
  theme?: 'light' | 'dark';
}

/** A tab of its own profile. What the page complains about, its policy included, is in `complaints`. */
export async function openTab(
  browser: Browser,
  { width = 1280, theme = 'light' }: OpenOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A server that is away, or refuses, is logged by the browser itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { page, complaints };
}

/**
 * What axe finds wrong with the page as it is now, as text; of these rules only where some are named. It runs in the page itself: its own driver
 * for Playwright opens a blank page besides for each run.
 */
export async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  // As text: DOM types are no part of the tests' project.
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Builds pages as they are shipped, from a folder with an index.html. */
export async function buildPages(folder: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), 'durascope-pages-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', join(root, folder), '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  // In a process of its own: here NODE_ENV says that this is a test.
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_ENV: 'production' } });
  return { folder: outDir, remove: () => rm(outDir, { recursive: true, force: true }) };
}
