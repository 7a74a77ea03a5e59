import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);

/** A destination with synced copies of new secrets below a folder of its name. */
async function syncedTo(count: number): Promise<string> {
  const name = await service.destination(type);
  for (let at = 0; at < count; at += 1)
    await service.set(type, name, await service.secret({ v: 'marker-value' }, `${name}/${at}`));
  return name;
}

const recordsOf = (name: string) => `/ui/records?type=${type}&name=${name}`;

async function downloaded(page: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFile(await download.path(), 'utf8');
}

describe.skipIf(!hasBrowser())('records', () => {
  test.each(bothColours)('that are picked by keys are removed, after their number was typed (%s)', async (colours) => {
    const name = await syncedTo(3);
    const opened = await visit(recordsOf(name), colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    const row = (at: number) => page.getByRole('row').filter({ hasText: `${name}/${at}` });
    await row(0).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('2 records selected').waitFor();
    await expect.poll(() => row(1).getAttribute('aria-selected')).toBe('false');
    expect(await violations(page)).toEqual([]);
    const file = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
    expect(file.trimEnd().split('\r\n')).toHaveLength(3);
    expect(file).not.toContain('marker-value');
    await page.getByRole('button', { name: 'Remove copies' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove 2 records' });
    await remove.waitFor();
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Type 2 to confirm').fill('2');
    expect(await violations(page)).toEqual([]);
    await remove.click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    const removals = page.getByRole('listitem').filter({ hasText: 'Remove' });
    await removals.first().waitFor();
    await eventually(
      async () => {
        await service.sweep();
        const isGone = (await service.associations(type, name)).length === 1;
        return isGone && (await removals.filter({ hasNotText: 'Done' }).count()) === 0;
      },
      () => 'the picked ones are still there, or their batch is not done',
    );
    const [left] = await service.associations(type, name);
    expect(left?.secret_name).toBe(`${name}/1`);
    expect(await violations(page)).toEqual([]);
  });

  test('that match are all pushed again, and downloaded page by page', async () => {
    const name = await syncedTo(2);
    await insertAssociations(service, name, 600);
    const opened = await visit(recordsOf(name));
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('602 records').first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/sync\/records\?.*limit=500/.test(request.url())) asked.push(request.url());
    });
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await downloaded(page, () => page.getByRole('button', { name: 'Download', exact: true }).click());
    const lines = file.trimEnd().split('\r\n');
    expect(lines).toHaveLength(603);
    expect(lines[0]).toMatch(/^id,destination_type,destination,mount,secret/);
    expect(asked).toHaveLength(2);
    expect(file).not.toContain('marker-value');
    await page.getByLabel('Select all matching').check();
    await page.getByText('All matching selected: 602 records').waitFor();
    await page.getByRole('button', { name: 'Push again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Push 602 records' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByText('602 records').first().waitFor();
    await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
  });

  test('that failed are replayed by the thousand, their outcomes are shown, and a batch is cancelled', async () => {
    const [many, few] = [await service.destination(type), await service.destination(type)];
    await service.ask('PATCH', `sys/sync/destinations/${type}/${many}`, { disabled: true });
    await insertAssociations(service, many, 5_000, 'CLIENT_SIDE_ERROR');
    service.fake(type).fail({ kind: 'denied' });
    const secret = await service.secret({ v: '1' }, `${few}/one`);
    expect(statuses(await service.set(type, few, secret))).toEqual(['CLIENT_SIDE_ERROR']);
    service.fake(type).heal();
    const opened = await visit(recordsOf(many));
    const { page } = opened;
    await logIn(opened, service.rootToken);
    const replayAll = async (name: string, records: string) => {
      await page.goto(`${service.address}${recordsOf(name)}`);
      await page.getByRole('button', { name: 'Replay all matching' }).click();
      await page.getByRole('button', { name: `Replay ${records}`, exact: true }).click();
      await page.getByRole('heading', { name: 'Batches' }).waitFor();
    };
    await replayAll(few, '1 record');
    const ofFew = page.getByRole('listitem').filter({ hasText: few });
    await eventually(
      async () => {
        await service.sweep();
        return (await ofFew.getByText('1 synced of 1').count()) > 0;
      },
      () => 'the outcome is not shown',
    );
    await replayAll(many, '5,000 records');
    const ofMany = page.getByRole('listitem').filter({ hasText: many });
    await service.sweep();
    await ofMany.getByText('Running').or(ofMany.getByText('Settling')).waitFor();
    await ofMany.getByText(/pending of 5,000/).waitFor();
    await ofMany.getByRole('button', { name: 'Cancel' }).click();
    await ofMany.getByText('Cancelled').waitFor();
    expect(await violations(page)).toEqual([]);
    await service.ask('DELETE', `sys/sync/destinations/${type}/${many}?force_delete=true`);
  });

  test('that were throttled show the cause, what helps and the next attempt', async () => {
    const name = await service.destination(type);
    service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 600 });
    await service.secret({ v: '1' }, `${name}/one`);
    void service
      .ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, {
        mount: 'secret',
        secret_name: `${name}/one`,
      })
      .catch(() => {});
    const opened = await visit(recordsOf(name));
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page
      .getByRole('row')
      .filter({ hasText: `${name}/one` })
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Throttled by the destination').first().waitFor();
    await drawer.getByText('it is tried again by itself').waitFor();
    await drawer.getByText('Next attempt').waitFor();
    await drawer
      .getByText(/in \d+ (seconds|minutes)/)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    service.fake(type).heal();
    await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
  });
});
