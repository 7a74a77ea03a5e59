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

/** Has the page see an hour in which more arrives than is done; a sweep of an earlier release sampled its first minutes. */
async function showFlow(page: Page): Promise<void> {
  const to = Date.UTC(2026, 0, 1, 12);
  const points = Array.from({ length: 60 }, (_, index) => ({
    at: new Date(to - (60 - index) * 60_000).toISOString(),
    samples: 6,
    pending: 10 + 3 * index,
    oldest_seconds: index,
    arrived: index < 10 ? null : 40 + Math.round(15 * Math.sin(index / 6)),
    done: 37 + Math.round(9 * Math.sin(index / 9)),
    failed: index % 20 === 0 ? 2 : 0,
    errors: {},
  }));
  const data = {
    version: 'flow',
    from: new Date(to - 3_600_000).toISOString(),
    to: new Date(to).toISOString(),
    step: 60,
    points,
    types: [],
    destinations: [],
  };
  await page.route('**/v1/sys/sync/samples*', (route) => route.fulfill({ json: { data } }));
}

describe.skipIf(!hasBrowser())('the course of the last hour', () => {
  test.each(bothColours)(
    'has what arrived beside what was done, as lines, in words and as a table (%s)',
    async (colours) => {
      const opened = await visit('/ui/', colours);
      const { page } = opened;
      await showMany(page);
      await showFlow(page);
      await logIn(opened, service.rootToken);
      await page.getByRole('region', { name: 'Over time' }).scrollIntoViewIfNeeded();
      const chart = page.getByRole('figure').filter({ hasText: 'Throughput' });
      await chart.getByText(/^arrived \d+$/).waitFor();
      await chart.getByText(/^done \d+$/).waitFor();
      await expect.poll(() => chart.locator('path.second, path.accent').count()).toBe(2);
      await chart.getByText('Throughput as a table').click();
      const table = chart.getByRole('table');
      await expect.poll(() => table.getByRole('columnheader').allTextContents()).toEqual(['Time', 'arrived', 'done']);
      await expect.poll(() => table.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual(['–', '37']);
      await expect.poll(() => table.getByRole('row').nth(11).getByRole('cell').first().textContent()).toBe('55');
      expect(await violations(page)).toEqual([]);
    },
  );
});

describe.skipIf(!hasBrowser())('an overview of more than fits', () => {
  test.each(bothColours)('says what it does not show, and shows it on request (%s)', async (colours) => {
    const opened = await visit('/ui/', colours);
    const { page } = opened;
    await showMany(page);
    await logIn(opened, service.rootToken);
    await page.getByText('Only the first 10000 destinations are shown and counted.').waitFor();
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByText('10 more causes').waitFor();
    await expect.poll(() => needs.getByRole('listitem').count()).toBe(50);
    expect(await violations(page)).toEqual([]);
    await needs.getByRole('button', { name: 'Show more' }).click();
    await needs.getByText('10 more causes').waitFor({ state: 'detached' });
    await expect.poll(() => needs.getByRole('listitem').count()).toBe(causes);
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
