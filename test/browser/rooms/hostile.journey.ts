import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);
const payload = (place: string) => `"><img src=x onerror="document.title='broken'">${place}`;

describe.skipIf(!hasBrowser())('texts of others', () => {
  test.each(bothColours)('are texts in metadata, tags and errors, and no value is among them (%s)', async (colours) => {
    const { db } = service.store;
    const name = await service.destination(type, { secret_access_key: 'wrong' });
    const secret = await service.secret({ password: 'marker-value' }, `hostile/${colours}`);
    await service.ask('POST', `secret/metadata/${secret}`, {
      custom_metadata: { [payload('key')]: payload('metadata') },
    });
    await service.set(type, name, secret);
    await service.untilQuiet();
    // A provider may answer anything, and tags may be older than the rules for them.
    const error = sql`jsonb_set(error::jsonb, '{message}', ${JSON.stringify(payload('error'))}::jsonb)`;
    await sql`update associations set error = ${error} where secret_name = ${secret}`.execute(db);
    const tags = JSON.stringify({ [payload('tag')]: payload('value') });
    await sql`update destinations set custom_tags = ${tags} where name = ${name}`.execute(db);
    const opened = await visit(`/ui/secrets?mount=secret&secret=${encodeURIComponent(secret)}`, colours);
    const { page } = opened;
    const unbroken = async () => {
      expect(await page.title()).not.toContain('broken');
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(await page.content()).not.toContain('marker-value');
      expect(await violations(page)).toEqual([]);
    };
    await logIn(opened, service.rootToken);
    const about = page.getByRole('region', { name: 'About' });
    await about.getByText(payload('metadata')).waitFor();
    await about.getByText(payload('key')).waitFor();
    await unbroken();
    await page.goto(`${service.address}/ui/records?type=${type}&name=${name}`);
    await page.getByRole('row').filter({ hasText: secret }).click();
    await page.getByRole('dialog').getByText(payload('error')).first().waitFor();
    await unbroken();
    await page.goto(`${service.address}/ui/destinations/${type}/${name}/settings`);
    await page.getByText('Objects', { exact: true }).click();
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe(`${payload('tag')}=${payload('value')}`);
    await unbroken();
  });
});
