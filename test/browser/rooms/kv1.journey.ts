import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);

async function mount(): Promise<string> {
  const path = service.name('plain');
  await service.ask('POST', `sys/mounts/${path}`, { type: 'kv', options: { version: '1' } });
  return path;
}

async function tokenWith(policy: string): Promise<string> {
  const name = service.name('policy');
  await service.ask('POST', `sys/policies/acl/${name}`, { policy });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [name, 'default'] });
  return (body['auth'] as { client_token: string }).client_token;
}

describe.skipIf(!hasBrowser())('secrets of KV 1', () => {
  test.each(bothColours)(
    'are not replaced by a new one, and say that a write replaces all keys (%s)',
    async (colours) => {
      const path = await mount();
      await service.ask('POST', `${path}/db`, { user: 'shop', password: 'marker-first' });
      const opened = await visit(`/ui/secrets?mount=${path}`, colours);
      const { page, forgive } = opened;
      forgive(/status of 404/);
      await logIn(opened, service.rootToken);
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByLabel('Path (required)').fill('db');
      await page.getByLabel('Key 1', { exact: true }).fill('other');
      await page.getByLabel('Value 1', { exact: true }).fill('marker-second');
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByRole('alert').filter({ hasText: 'db exists already' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect((await service.ask('GET', `${path}/db`)).data).toEqual({ user: 'shop', password: 'marker-first' });
      await page.getByLabel('Path (required)').fill('fresh');
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByRole('heading', { name: 'fresh' }).waitFor();
      expect((await service.ask('GET', `${path}/fresh`)).data).toEqual({ other: 'marker-second' });
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByText('What you write replaces all keys, and the values before are gone').waitFor();
      expect(await page.getByText('your policies do not let you').count()).toBe(0);
      expect(await violations(page)).toEqual([]);
    },
  );

  test('that the caller cannot read are not written over', async () => {
    const path = await mount();
    await service.ask('POST', `${path}/db`, { user: 'shop' });
    const token = await tokenWith(
      `path "${path}/*" { capabilities = ["create", "update", "list"] }\npath "${path}/made-*" { capabilities = ["create"] }`,
    );
    const opened = await visit(`/ui/secrets?mount=${path}`);
    const { page, forgive } = opened;
    forgive(/status of 40[34]/);
    await logIn(opened, token);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByLabel('Path (required)').fill('db');
    await page.getByLabel('Key 1', { exact: true }).fill('other');
    await page.getByRole('button', { name: 'Write' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `you need "read" on ${path}/db` })
      .waitFor();
    expect((await service.ask('GET', `${path}/db`)).data).toEqual({ user: 'shop' });
    await page.getByLabel('Path (required)').fill('made-new');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByRole('heading', { name: 'made-new' }).waitFor();
    expect((await service.ask('GET', `${path}/made-new`)).data).toEqual({ other: '' });
  });

  test('are masked in the explorer, whatever their keys are', async () => {
    const path = await mount();
    await service.ask('POST', `${path}/odd`, { keys: 'marker-keys', metadata: 'marker-metadata', data: 'marker-data' });
    const opened = await visit(`/ui/explorer?row=${encodeURIComponent(`GET /v1/${path}/{path}`)}`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByLabel('path (required)').fill('odd');
    await page.getByRole('button', { name: 'Send' }).click();
    const body = page.getByRole('region', { name: 'Body of the reply' });
    await body.getByText('"metadata"').waitFor();
    expect(await page.content()).not.toContain('marker-');
    await page.getByText('Query', { exact: true }).click();
    await page.getByLabel('list', { exact: true }).fill('true');
    await page.getByLabel('path (required)').fill('/');
    await page.getByRole('button', { name: 'Send' }).click();
    await body.getByText('"odd"').waitFor();
  });
});

describe.skipIf(!hasBrowser())('secrets with versions', () => {
  test('are not replaced by a new one', async () => {
    await service.secret({ a: '1' }, 'held/db');
    const opened = await visit('/ui/secrets?mount=secret&folder=held%2F');
    const { page, forgive } = opened;
    forgive(/status of 400/);
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByLabel('Path (required)').fill('held/db');
    await page.getByLabel('Key 1', { exact: true }).fill('b');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByRole('alert').filter({ hasText: 'held/db exists already' }).waitFor();
    expect((await service.ask('GET', 'secret/data/held/db')).data['data']).toEqual({ a: '1' });
  });

  test('get a version after the current one was deleted, also from who may change single keys', async () => {
    await service.secret({ a: '1' }, 'gone/db');
    const opened = await visit('/ui/secrets?mount=secret&secret=gone%2Fdb');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByText('A key without a typed value keeps the one it has').waitFor();
    await page.keyboard.press('Escape');
    await service.ask('DELETE', 'secret/data/gone/db');
    await page.getByText('Version 1 is deleted').waitFor();
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByText('The current version is deleted').waitFor();
    await page.getByLabel('Key 1', { exact: true }).fill('b');
    await page.getByLabel('Value 1', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('2 versions').waitFor();
    expect((await service.ask('GET', 'secret/data/gone/db')).data['data']).toEqual({ b: '2' });
  });
});
