import { describe, expect, test } from 'vitest';
import { insertManyDestinations } from '#test/support/flow/many/destinations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);
const many = 2_000;
const rowsInPageMax = 60;

describe.skipIf(!hasBrowser())('two thousand destinations', () => {
  test.each(bothColours)('are selected, ordered and paged by the server, by few requests (%s)', async (colours) => {
    const prefix = `fleet-${colours}`;
    await insertManyDestinations(service, type, prefix, many);
    const broken = await service.destination(type, { secret_access_key: 'not-the-key' });
    await service.set(type, broken, await service.secret({ a: '1' }));
    const opened = await visit('/ui/destinations', colours);
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await logIn(opened, service.rootToken);
    const grid = page.getByRole('grid', { name: 'Destinations' });
    const row = (text: string) => grid.getByRole('row').filter({ hasText: text });
    await page.getByLabel('Order').selectOption('Most failed');
    await grid.locator('[data-index="0"]').getByText('Some failed').waitFor();
    await page.getByLabel('Name contains').fill(prefix.toUpperCase());
    await page.getByText('2,000 destinations').waitFor();
    await row(`${prefix}-00001`).waitFor();
    expect(await grid.locator('[data-index]').count()).toBeLessThan(rowsInPageMax);
    expect(await violations(page)).toEqual([]);
    await grid.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    // As far as the pages are known by then.
    await grid
      .getByRole('row')
      .filter({ hasText: new RegExp(`${prefix}-00[12]00`) })
      .and(page.locator(':focus'))
      .waitFor();
    await page.getByLabel('State').selectOption('Some failed');
    await page.getByText('No destination matches').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goBack();
    await page.getByText('2,000 destinations').waitFor();
    await page.getByLabel('Type').selectOption(type);
    await page.getByLabel('Name contains').fill(`${prefix}-0199`);
    await page.getByText('10 destinations').waitFor();
    await page.reload();
    await page.getByText('10 destinations').waitFor();
    await expect.poll(() => page.getByLabel('State').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe(`?find=${prefix}-0199&type=${type}&sort=failed`);
    expect(asked.filter((url) => url.includes('/v1/sys/sync/destinations/'))).toEqual([]);
    await page.getByLabel('Name contains').fill(broken);
    await page.getByText('1 destination', { exact: true }).waitFor();
    await row(broken).click();
    await page.getByRole('heading', { name: broken }).waitFor();
    await page.getByText('Some failed').waitFor();
  });
});
