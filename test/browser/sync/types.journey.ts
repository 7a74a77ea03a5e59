import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';
import { browsing, hasBrowser, logIn, violations } from '../support/browse.ts';
import { fillAll, unfold } from '../support/fill.ts';

/** A type that only this test knows. No file of the page mentions it. */
vi.mock('#destinations/index.ts', async (original) => {
  const { definitions } = await original<typeof import('#destinations/index.ts')>();
  const { text } = await import('#path/fields.ts');
  const { form } = await import('#destinations/frame/fields/form.ts');
  const { z } = await import('zod');
  const model = definitions.find(({ type }) => type === 'cloud-a-sm');
  if (model === undefined) throw new Error('there is no type to begin with');
  const { fixed: _fixed, relations: _relations, ...shared } = model;
  const fields = {
    depot: text().meta({ ...form('Depot', 'target'), description: 'Depot that receives the copies', immutable: true }),
    depot_key: text().meta({ ...form('Depot key', 'credentials'), description: 'Key of the depot', sensitive: true }),
    depot_class: z
      .enum(['slow', 'fast'])
      .optional()
      .meta({ ...form('Class', 'target'), description: 'How soon copies have to arrive' }),
  };
  const depot = { ...shared, type: 'depot', alias: 'dp', title: 'Depot of the tests', fields };
  return { definitions: [...definitions, { ...depot, validate: () => [], rateAccount: () => ['depot'] }] };
});

const types = everyType.filter((type) => type !== 'depot');
const service = serviceOf(types);
const { visit } = browsing(service);

const fieldsOf = async (type: string) =>
  (await service.ask('GET', `sys/sync/types/${type}`)).data['fields'] as {
    name: string;
    label: string;
    sensitive?: boolean;
  }[];

async function create(page: Page, type: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  await page.goto(`${service.address}/ui/destinations/new/${type}`);
  await page.getByLabel('Name (required)').fill(`by-page-${type}`);
  await unfold(page);
  await fillAll(page, await fieldsOf(type), values);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: `by-page-${type}` }).waitFor();
}

describe.skipIf(!hasBrowser())('a destination of each type', () => {
  test('is created in the form that the server describes', async () => {
    const opened = await visit('/ui/destinations/new');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    for (const type of types) {
      await create(page, type, service.fake(type).destination);
      const { data } = await service.ask('GET', `sys/sync/destinations/${type}/by-page-${type}`);
      expect(data['type']).toBe(type);
      const secret = await service.secret({ v: '1' }, `of-${type}`);
      expect((await service.set(type, `by-page-${type}`, secret))[0]?.sync_status).toBe('SYNCED');
    }
  });

  test('that only this test knows needs nothing in the page', async () => {
    expect(definitions.map(({ type }) => type)).toContain('depot');
    const opened = await visit('/ui/destinations/new');
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('link', { name: 'Depot of the tests' }).click();
    await page.getByLabel('Name (required)').waitFor();
    expect(await violations(page)).toEqual([]);
    forgive(/status of 400/);
    await create(page, 'depot', { depot: 'north', depot_key: 'marker-key', depot_class: 'fast' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor();
    expect(await page.content()).not.toContain('marker-key');
    const { data } = await service.ask('GET', 'sys/sync/destinations/depot/by-page-depot');
    expect(data['connection_details']).toMatchObject({ depot: 'north', depot_class: 'fast' });
  });

  test('is purged after its name was typed', async () => {
    const type = 'cloud-a-sm';
    const name = await service.destination(type);
    await service.set(type, name, await service.secret({ v: '1' }, `${name}/one`));
    const opened = await visit(`/ui/destinations/${type}/${name}/danger`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    const purge = page.getByRole('button', { name: 'Purge and delete' });
    await purge.and(page.locator('[aria-disabled="true"]')).waitFor();
    await page.getByLabel(`Type ${name} to confirm`).fill(name.slice(1));
    await expect.poll(() => purge.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    expect(await violations(page)).toEqual([]);
    await purge.and(page.locator(':not([aria-disabled])')).click();
    await page.getByRole('heading', { level: 1, name: 'Destinations' }).waitFor();
    for (let round = 0; round < 3; round += 1) await service.sweep();
    await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' });
    expect((await service.ask('GET', `sys/sync/destinations/${type}/${name}`)).status).toBe(404);
    expect([...service.fake(type).objects().keys()].some((key) => key.includes(name))).toBe(false);
  });
});
