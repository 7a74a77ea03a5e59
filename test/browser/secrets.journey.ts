import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from './support/browse.ts';
import { choose } from './support/fill.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);
const at = (secret: string) => `/ui/secrets?mount=secret&secret=${encodeURIComponent(secret)}`;

describe.skipIf(!hasBrowser())('secrets', () => {
  test.each(bothColours)('are found by folder and by the beginning of a name (%s)', async (colours) => {
    const folder = `team-${colours}`;
    for (const name of ['db', 'db.replica', 'mail', 'deep/one'])
      await service.secret({ user: 'shop' }, `${folder}/${name}`);
    const opened = await visit('/ui/secrets', colours);
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page
      .getByRole('main')
      .getByRole('link', { name: /^secret/ })
      .click();
    await page.getByRole('row').filter({ hasText: folder }).click();
    await page.getByText('4 names').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Name begins with').fill('db');
    await page.getByText('2 names').waitFor();
    await page.reload();
    await page.getByText('2 names').waitFor();
    forgive(/status of 404/);
    await page.getByLabel('Name begins with').fill('none');
    await page.getByText('No name begins with this').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('row').filter({ hasText: 'db.replica' }).click();
    await page.getByRole('heading', { name: 'db.replica' }).waitFor();
    await page.getByText('It is sent nowhere').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('show a value only when it is asked for, and keep it nowhere', async () => {
    await service.secret({ password: 'marker-value-one', user: 'marker-value-two' }, 'masked/db');
    const opened = await visit(at('masked/db'));
    const { page } = opened;
    const texts = responses(page);
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Show password' }).waitFor();
    expect(await page.content()).not.toContain('marker-value');
    expect(texts.join()).not.toContain('marker-value');
    await page.getByRole('button', { name: 'Show password' }).click();
    await page.getByText('marker-value-one').waitFor();
    expect(await page.content()).not.toContain('marker-value-two');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide password' }).click();
    await page.getByText('marker-value-one').waitFor({ state: 'detached' });
    const kept = await page.evaluate(
      'caches.keys().then((names) => JSON.stringify([names, { ...localStorage }, { ...sessionStorage }]))',
    );
    expect(kept).not.toContain('marker-value');
  });

  test('are written and sent in one step, by keys alone', async () => {
    const name = await service.destination(type);
    await service.destination(type);
    const opened = await visit('/ui/secrets?mount=secret&folder=made%2F');
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'New secret' }).press('Enter');
    const keys = page.keyboard;
    await page.getByLabel('Path (required)').waitFor();
    await page.getByLabel('Path (required)').fill('made/by-page');
    await page.getByLabel('Key 1', { exact: true }).focus();
    await keys.type('password');
    await keys.press('Tab');
    await keys.type('marker-typed');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Also send it to' }).focus();
    await keys.type(`${name}-without-a-match`);
    await page.getByRole('option', { name: 'Nothing matches' }).waitFor();
    await keys.press('Enter');
    expect((await service.ask('GET', 'secret/data/made/by-page')).status).toBe(404);
    await page.getByRole('combobox', { name: 'Also send it to' }).fill('');
    await keys.type(name);
    await page.getByRole('option', { name, selected: true }).waitFor();
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await page.getByRole('button', { name: `Leave out ${type}/${name}` }).waitFor();
    await page.getByRole('combobox', { name: 'Also send it to' }).press('ArrowDown');
    expect(await violations(page)).toEqual([]);
    await keys.press('Escape');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Write' }).press('Enter');
    await page.getByRole('list', { name: 'Copies' }).getByText('Synced').waitFor();
    expect((await service.ask('GET', 'secret/data/made/by-page')).data['data']).toEqual({ password: 'marker-typed' });
  });

  test('get a new version that keeps the keys that were not edited, and versions are compared', async () => {
    await service.secret({ user: 'shop', password: 'marker-old', port: '1' }, 'versions/db');
    const opened = await visit(at('versions/db'));
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByLabel('Value 2', { exact: true }).fill('marker-new');
    await page.getByRole('button', { name: 'Take out user' }).click();
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Key 3', { exact: true }).fill('host');
    await page.getByLabel('Value 3', { exact: true }).fill('db.example');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('2 versions').waitFor();
    expect((await service.ask('GET', 'secret/data/versions/db')).data['data']).toEqual({
      host: 'db.example',
      port: '1',
      password: 'marker-new',
    });
    await page.getByRole('button', { name: 'Compare keys' }).click();
    const lines = page.getByRole('dialog').getByRole('listitem');
    await expect
      .poll(async () => (await lines.allTextContents()).map((text) => text.replaceAll(/[•]|Show|Copy/g, '')))
      .toEqual(['Addedhost', 'Changedpassword', 'Removeduser', 'Sameport']);
    expect(await page.content()).not.toContain('marker-');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    forgive(/status of 404/);
  });

  test('are sent elsewhere by the keys alone, and deleted after their copies were shown', async () => {
    const name = await service.destination(type);
    await service.secret({ a: '1' }, 'going/db');
    const opened = await visit(at('going/db'));
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    const box = page.getByRole('combobox', { name: 'Send it to' });
    await box.focus();
    await page.keyboard.type(name);
    await page.getByRole('option', { name, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Send');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Copies' }).getByText('Synced').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Its copy is removed:').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Version 1 is deleted').waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('button', { name: 'Show a', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('What').selectOption('All versions, for good');
    await page.getByLabel('Type db to confirm').fill('db');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/folder=going/);
    expect((await service.ask('GET', 'secret/metadata/going/db')).status).toBe(404);
  });

  test('offer to a narrow policy only what it grants', async () => {
    await service.secret({ a: 'marker-narrow' }, 'narrow/db');
    const policy = ['path "secret/metadata/narrow/*" { capabilities = ["read", "list"] }'].join('\n');
    await service.ask('POST', 'sys/policies/acl/lister', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['lister'] });
    const opened = await visit(at('narrow/db'));
    const { page, forgive } = opened;
    forgive(/status of 403/);
    await logIn(opened, (made.body['auth'] as { client_token: string }).client_token);
    await page.getByText('1 version', { exact: true }).waitFor();
    await page.getByText('Your policies do not show you this').first().waitFor();
    await page.getByRole('button', { name: 'New version' }).and(page.locator('[aria-disabled="true"]')).waitFor();
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents())
      .toEqual(['Secrets', 'Workspaces']);
    expect(await violations(page)).toEqual([]);
  });

  test('are not sent where the policies do not allow it, and the page says why', async () => {
    const [allowed, closed] = [await service.destination(type), await service.destination(type)];
    await service.secret({ a: '1' }, 'kept/db');
    const policy = [
      'path "secret/*" { capabilities = ["read", "list"] }',
      'path "sys/sync/overview" { capabilities = ["read"] }',
      'path "sys/sync/records" { capabilities = ["read"] }',
      `path "sys/sync/destinations/${type}/+/associations" { capabilities = ["read"] }`,
      `path "sys/sync/destinations/${type}/${allowed}/associations/set" { capabilities = ["update"] }`,
    ].join('\n');
    await service.ask('POST', 'sys/policies/acl/sender', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['sender'] });
    const opened = await visit(at('kept/db'));
    const { page } = opened;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/associations/set')) sent.push(request.url());
    });
    await logIn(opened, (made.body['auth'] as { client_token: string }).client_token);
    await page.getByText('It is sent nowhere').waitFor();
    await refusal(page, 'Send', 'Choose a destination first');
    const chosen = async (name: string) => {
      await choose(page, 'Send it to', name);
      await page.getByRole('button', { name: `Leave out ${type}/${name}` }).waitFor();
    };
    await chosen(closed);
    await refusal(page, 'Send', `sys/sync/destinations/${type}/${closed}/associations/set`);
    expect(await violations(page)).toEqual([]);
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: `Leave out ${type}/${closed}` }).click();
    await chosen(allowed);
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await page.getByRole('list', { name: 'Copies' }).getByText('Synced').waitFor();
    await refusal(page, `Remove from ${allowed}`, 'associations/remove');
  });
});

/** The texts of all answers of the API so far. */
function responses(page: Page): readonly string[] {
  const texts: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/v1/'))
      void response.text().then(
        (text) => texts.push(text),
        () => {},
      );
  });
  return texts;
}
