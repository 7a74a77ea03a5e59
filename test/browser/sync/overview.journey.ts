import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);
const causes = 60;

/** Has the page see an overview with many destinations that fail, of which one is paused and none has a worker. */
async function showMany(page: Page): Promise<void> {
  const one = (index: number) => ({
    type,
    name: `failing-${index}`,
    total: 5,
    counts: { CLIENT_SIDE_ERROR: 4, PENDING: 1 },
    errors: { credentials: 4 },
    disabled: index === 0,
    circuit: 'closed',
    rate: { calls_per_second: 20, limit: 5, burst: 20, available: 3 },
  });
  const data = {
    version: 'many',
    disabled: false,
    total: 5 * causes,
    counts: { CLIENT_SIDE_ERROR: 4 * causes, PENDING: causes },
    errors: { credentials: 4 * causes },
    remedies: { credentials: 'write new credentials' },
    workers: [{ type, seen: 0, last_seen_at: '2026-01-01T00:00:00Z' }],
    queue: { pending: 60, capacity: 10_000 },
    destinations: Array.from({ length: causes }, (_, index) => one(index)),
  };
  const json = { data, warnings: ['only the first 10000 destinations are shown and counted'] };
  await page.route('**/v1/sys/sync/overview*', (route) => route.fulfill({ json }));
}

describe.skipIf(!hasBrowser())('an overview of more than fits', () => {
  test.each(bothColours)('says what it does not show, and shows it on request (%s)', async (colours) => {
    const opened = await visit('/ui/', colours);
    const { page } = opened;
    await showMany(page);
    await logIn(opened, service.rootToken);
    await page.getByText('Only the first 10000 destinations are shown and counted.').waitFor();
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByText('10 more causes').waitFor();
    expect(await needs.getByRole('listitem').count()).toBe(50);
    expect(await violations(page)).toEqual([]);
    await needs.getByRole('button', { name: 'Show more' }).click();
    await needs.getByText('10 more causes').waitFor({ state: 'detached' });
    expect(await needs.getByRole('listitem').count()).toBe(causes);
  });

  test.each(bothColours)('tells which type has no worker, and which destination is paused (%s)', async (colours) => {
    const opened = await visit('/ui/queue', colours);
    const { page } = opened;
    await showMany(page);
    await logIn(opened, service.rootToken);
    const workers = page.getByRole('region', { name: 'Workers' });
    await workers.getByText('No worker').waitFor();
    await workers.getByText('60 changes waiting').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Destinations', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'failing-0' }).getByText('Paused').waitFor();
  });
});
