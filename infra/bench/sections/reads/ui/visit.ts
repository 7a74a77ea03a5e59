import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

const waitMsMax = 120_000;

/** A page in its own session of the browser, with the protocol that measures it. */
export interface Visit {
  readonly page: Page;
  readonly protocol: CDPSession;
  close(): Promise<void>;
}

export const openBrowser = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ['--no-sandbox', '--enable-precise-memory-info'] });

/** Opens a page of a caller who has logged in with the token. */
export async function openVisit(browser: Browser, address: string, token: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMsMax);
  await page.goto(`${address}/ui/`);
  await page.getByLabel('Log in with').selectOption('Token');
  await page.getByLabel('Token (required)').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return { page, protocol: await context.newCDPSession(page), close: () => context.close() };
}

/** Bytes on the heap of the page after its garbage was collected. */
export async function heapOf({ protocol }: Visit): Promise<number> {
  await protocol.send('HeapProfiler.enable');
  await protocol.send('HeapProfiler.collectGarbage');
  return (await protocol.send('Runtime.getHeapUsage')).usedSize;
}
