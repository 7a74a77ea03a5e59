import type { Page, Request } from 'playwright-core';

const quietMs = 500;
const lookMs = 50;
const waitMsMax = 60_000;

/** A request that the server answers when something has changed. */
const isWaiting = (request: Request): boolean => /[?&]wait=\d/.test(request.url());

/**
 * Follows the requests of a page from now on.
 *
 * @returns waits until none has been open for half a second, but for one that waits for a change; at most a minute
 */
export function followRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let lastMs = Date.now();
  const ended = (request: Request) => {
    if (open.delete(request)) lastMs = Date.now();
  };
  page.on('request', (request) => {
    if (!isWaiting(request)) open.add(request);
  });
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return async () => {
    const beganMs = Date.now();
    lastMs = beganMs;
    while (open.size > 0 || Date.now() - lastMs < quietMs) {
      if (Date.now() - beganMs > waitMsMax) return;
      await page.waitForTimeout(lookMs);
    }
  };
}
