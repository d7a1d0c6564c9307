import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page as Tab } from 'playwright-core';
import { type Page, servePage } from '../../sandbox/page/server.ts';
import type { Texts } from '../../sandbox/page/texts.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

/**
 * Where Debian and Google install the browser. The headless shell needs 40% less processor time, because it has no user
 * interface of its own. Ubuntu's `chromium-browser` only installs a snap.
 */
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));
/** Flags that turn off Chromium's own background activity. */
const QUIET = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** As long as `npm run test:page` polls, because the machine is busy. */
const WAIT_MS = 60_000;

export const hasChromium = CHROMIUM !== undefined;
if (!hasChromium)
  process.stderr.write(
    'There is neither Chromium nor Google Chrome, so the page is not tried (Debian: apt-get install chromium-headless-shell).\n',
  );

const launch = (): Promise<Browser> =>
  chromium.launch({ ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }), args: QUIET });

/** A browser with the sandbox's page, and any problems found. */
export interface PageScene {
  readonly sandbox: Sandbox;
  readonly page: Page;
  /** Requests to other machines, and errors in the console or in scripts. */
  readonly complaints: readonly string[];
  /** Opens the page in a new tab. `more` is appended to its address, for example `&scenario=first-key`. */
  tab(more?: string, options?: BrowserContextOptions): Promise<Tab>;
  closeTabs(): Promise<void>;
  close(): Promise<void>;
}

export async function openPageScene(
  { read }: { readonly read: ((caption: Texts) => Promise<unknown>) | undefined } = {
    read: async () => undefined,
  },
): Promise<PageScene> {
  const sandbox = await openSandbox({ surroundings: process.env, serverLookup: true });
  await sandbox.startBot();
  const page = await servePage({ sandbox, ...(read && { read }) });
  const browser = await launch();
  const complaints: string[] = [];

  return {
    sandbox,
    page,
    complaints,
    async tab(more = '', contextOptions = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        // An endless animation would keep a processor busy.
        reducedMotion: 'reduce',
        ...contextOptions,
      });
      context.setDefaultTimeout(WAIT_MS);
      const tab = await context.newPage();
      const { host } = new URL(page.address);
      tab.on('request', (request) => {
        const url = new URL(request.url());
        if (url.host !== host) complaints.push(`a request to ${url.host}`);
      });
      tab.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      tab.on('pageerror', (error) => complaints.push(String(error)));
      tab.on('response', (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
      });
      await tab.goto(page.address + more);
      await tab.locator('#page[data-drawn]').waitFor();
      return tab;
    },
    async closeTabs() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      await page.close();
      await sandbox.close();
    },
  };
}

/** Switches the page to light or dark mode. Chromium applies this a few frames later. */
export async function drawIn(tab: Tab, colorScheme: 'light' | 'dark'): Promise<void> {
  await tab.emulateMedia({ colorScheme });
  const isDrawn = `matchMedia('(prefers-color-scheme: ${colorScheme})').matches`;
  while ((await tab.evaluate(isDrawn)) !== true) await tab.evaluate('new Promise(requestAnimationFrame)');
}

/** Returns the problems that axe-core finds: each rule, and the elements that break it. */
export async function axeViolations(tab: Tab): Promise<readonly string[]> {
  // The debugger runs this script, because the page's Content-Security-Policy would block it.
  if ((await tab.evaluate("'axe' in window")) !== true) await tab.evaluate(AXE);
  // Axe otherwise describes every element that it has checked, which takes a third of its time.
  const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
    }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}

/** Returns the name of the focused element, or an empty string if the focus is outside the page. */
export const focusedName = async (tab: Tab): Promise<string> =>
  String(
    await tab.evaluate(`(() => {
      const focused = document.activeElement;
      return focused === document.body ? '' : (focused?.getAttribute('aria-label') ?? focused?.textContent ?? '').trim();
    })()`),
  );

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(tab: Tab, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await tab.keyboard.press('Tab');
    const own = await focusedName(tab);
    if (typeof name === 'string' ? own === name : name.test(own)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
