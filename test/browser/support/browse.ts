import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { OpenService } from '#test/support/flow/open-service.ts';

/** What a page has done that it must not. */
interface Faults {
  readonly console: string[];
  readonly foreign: string[];
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Failures of the network that a journey means to cause. */
  forgive(text: RegExp): void;
}

export type Colours = 'light' | 'dark';
export const bothColours: readonly Colours[] = ['light', 'dark'];
export const hasBrowser = (): boolean => inject('browser') !== '';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const waitMsMax = 60_000;

/**
 * Opens pages of a service. After each test, each page that it opened has said nothing on its console, has broken no rule of its
 * content security policy, and has asked no other host; and what it shows at the end has no violation that axe finds, light or dark.
 *
 * @param alsoAsked addresses of other hosts to which a journey leads
 */
export function browsing(service: Pick<OpenService, 'address'>, alsoAsked: () => readonly string[] = () => []) {
  let browser: Browser | undefined;
  const visits: { readonly visit: Visit; readonly faults: Faults; readonly forgiven: RegExp[] }[] = [];
  beforeAll(async () => {
    if (hasBrowser()) browser = await chromium.launch({ executablePath: inject('browser'), args: ['--no-sandbox'] });
  });
  afterAll(async () => browser?.close());
  afterEach(async () => {
    for (const { visit, faults, forgiven } of visits.splice(0)) {
      // What a journey has removed at its end is missing while axe looks.
      const said = faults.console.filter((text) => !forgiven.some((one) => one.test(text)));
      const found = await leftOver(visit.page, service.address);
      await visit.context.close();
      expect(found).toEqual([]);
      expect(said).toEqual([]);
      expect(faults.foreign).toEqual([]);
    }
  });
  return {
    async visit(path = '/ui/', colours: Colours = 'light', size = { width: 1440, height: 900 }): Promise<Visit> {
      if (browser === undefined) throw new Error('there is no browser');
      const context = await browser.newContext({
        colorScheme: colours,
        viewport: size,
        reducedMotion: 'reduce',
        bypassCSP: false,
        ignoreHTTPSErrors: alsoAsked().length > 0,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(waitMsMax);
      const faults: Faults = { console: [], foreign: [] };
      const forgiven: RegExp[] = [];
      const own = [service.address, 'blob:', ...alsoAsked()];
      await context.route((url) => !isOf(own, url.href), emptyOf(alsoAsked));
      watch(page, faults, { own, alsoAsked });
      const visit = { page, context, forgive: (text: RegExp) => void forgiven.push(text) };
      visits.push({ visit, faults, forgiven });
      await page.goto(`${service.address}${path}`);
      return visit;
    },
  };
}

/** The violations of a page as a journey leaves it, in both colours. Its document is the same in both. */
async function leftOver(page: Page, address: string): Promise<readonly string[]> {
  const found: string[] = [];
  if (page.isClosed() || !page.url().startsWith(address)) return found;
  for (const colours of bothColours) {
    await page.emulateMedia({ colorScheme: colours });
    for (const one of await violations(page, colours === 'light' ? 'every' : 'of colours'))
      found.push(`${colours}: ${one}`);
  }
  return found;
}

/** What pages of other hosts load from elsewhere, such as fonts, is empty. A request of our own page goes on, and is a fault. */
const emptyOf = (alsoAsked: () => readonly string[]) => (route: Route) =>
  isOf(alsoAsked(), route.request().frame().url()) ? route.fulfill({ body: '' }) : route.continue();

const isOf = (addresses: readonly string[], url: string): boolean => addresses.some((one) => url.startsWith(one));

interface Known {
  readonly own: readonly string[];
  readonly alsoAsked: () => readonly string[];
}

function watch(page: Page, faults: Faults, { own, alsoAsked }: Known): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security|trusted/i.test(message.text()))
      faults.console.push(message.text());
  });
  page.on('pageerror', (error) => faults.console.push(String(error)));
  page.on('request', (request) => {
    if (!isOf(own, request.url()) && !isOf(alsoAsked(), page.url())) faults.foreign.push(request.url());
  });
}

/** Logs in with a token. A browser reports the first look-up, which has no session yet, as a failed load. */
export async function logIn({ page, forgive }: Visit, token: string): Promise<void> {
  forgive(/status of 403/);
  await page.getByLabel('Log in with').selectOption('Token');
  await page.getByLabel('Token (required)').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Finds by keys why a button may not be used: the focus reads its description, and a press says it. */
export async function refusal(page: Page, name: string, why: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true, disabled: true, description: new RegExp(why) });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: why }).first().waitFor();
}

/** What axe looks for. The rules of colours are those whose result depends on them. */
const rules = {
  every: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  'of colours': ['color-contrast', 'link-in-text-block'],
} as const;

/** The violations of some rules that axe finds, each with where it is. */
export async function violations(page: Page, looked: keyof typeof rules = 'every'): Promise<readonly string[]> {
  const world = await page.context().newCDPSession(page);
  const { frameTree } = await world.send('Page.getFrameTree');
  const { executionContextId } = await world.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await world.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  await run(await axeSource);
  const chosen = JSON.stringify({ type: looked === 'every' ? 'tag' : 'rule', values: rules[looked] });
  const found = await run(
    `axe.run({ runOnly: ${chosen} }).then(({ violations }) => violations.map((one) => one.id + ': ' + one.nodes.slice(0, 5).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? node.failureSummary)).join(' | ')))`,
  );
  await world.detach();
  return found as readonly string[];
}
