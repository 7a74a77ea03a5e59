import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);
const many = 100_000;
const rowsInPageMax = 60;
const walkedTo = 499;
/** In pixels. */
const rowHeight = 52;

/** The index of the row with the focus, once that is a later one. A press of End goes as far as the pages are known by then. */
async function indexBeyond(last: number, focused: Locator): Promise<number> {
  let index = last;
  await eventually(
    async () => {
      const [found] = await focused.evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-index'))));
      index = found ?? last;
      return index > last;
    },
    () => `the focus stays at row ${last}`,
  );
  return index;
}

/** Turns the wheel until the rows before one are shown. A key that was pressed before may still move the page after a turn. */
async function wheelBefore(index: number, page: Page, rows: Locator): Promise<void> {
  await eventually(
    async () => {
      await page.mouse.wheel(0, -20 * rowHeight);
      const [first] = await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-index'))));
      return first !== undefined && first < index;
    },
    () => `row ${index} is not shown`,
  );
}

describe.skipIf(!hasBrowser())('a table of a hundred thousand records', () => {
  test('is scrolled, filtered and walked by keys, with few rows in the document', async () => {
    const name = await service.destination(type);
    await insertAssociations(service, name, many);
    await sql`analyze associations`.execute(service.store.db);
    const opened = await visit('/ui/records');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    const rows = page.getByRole('grid', { name: 'Records' }).locator('[data-index]');
    const row = (number: number) =>
      rows.filter({ hasText: `many-of-${name}/${String(number).padStart(6, '0')}` }).first();
    await row(1).waitFor();
    await page.getByText('More than 10,000 records').waitFor();
    expect(await rows.count()).toBeLessThan(rowsInPageMax);
    await row(1).focus();
    await page.keyboard.press('PageDown');
    await row(11).and(page.locator(':focus')).waitFor();
    const focused = page.locator('[data-index]:focus');
    for (let last = 10; last < walkedTo; ) {
      await page.keyboard.press('End');
      last = await indexBeyond(last, focused);
      await row(last + 1)
        .and(page.locator(':focus'))
        .waitFor();
    }
    expect(await rows.count()).toBeLessThan(rowsInPageMax);
    const grid = await page.getByRole('grid', { name: 'Records' }).boundingBox();
    await page.mouse.move((grid?.x ?? 0) + 50, (grid?.y ?? 0) + 100);
    await wheelBefore(walkedTo - 100, page, rows);
    expect(await rows.count()).toBeLessThan(rowsInPageMax);
    await page.keyboard.press('Home');
    await row(1).and(page.locator(':focus')).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Secret begins with').fill(`many-of-${name}/0999`);
    await page.getByText('100 records').waitFor();
    await row(99_900).click();
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: `secret/many-of-${name}/099900` })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await rows.count()).toBeLessThan(rowsInPageMax);
  });

  test('keeps its length while its first rows are long out of sight', async () => {
    const name = await service.destination(type);
    await insertAssociations(service, name, 300);
    const opened = await visit(`/ui/records?type=${type}&name=${name}`);
    const { page } = opened;
    await page.clock.install();
    await logIn(opened, service.rootToken);
    await page.getByText('300 records').waitFor();
    const focused = page.locator('[data-index]:focus');
    const row = (number: number) =>
      page.getByRole('row').filter({ hasText: `many-of-${name}/${String(number).padStart(6, '0')}` });
    await row(1).focus();
    for (let last = 0; last < 299; ) {
      await page.keyboard.press('End');
      last = await indexBeyond(last, focused);
      await row(last + 1).waitFor();
    }
    const end = row(300);
    await page.clock.fastForward('02:00');
    const fresh = page.waitForResponse((reply) => reply.url().includes('/v1/sys/sync/records?'));
    await fresh;
    await end.waitFor();
    await page.getByText('300 records').waitFor();
    expect(await page.getByLabel('Loading').count()).toBe(0);
  });
});
