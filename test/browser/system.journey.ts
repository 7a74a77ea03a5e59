import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { runLine } from '#test/support/cli/line.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, type Visit, violations } from './support/browse.ts';

const service = serviceOf(['cloud-a-sm']);
const { visit } = browsing(service);

async function at(path: string, colours: 'light' | 'dark' = 'light', token = service.rootToken): Promise<Visit> {
  const opened = await visit(path, colours);
  // A list that is empty is not there, and journeys make mistakes that the server refuses.
  opened.forgive(/status of 40[04]/);
  await logIn(opened, token);
  return opened;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = (page: Page) => page.getByRole('dialog');

describe.skipIf(!hasBrowser())('the room of the system', () => {
  test('says what the command line says is wrong', async () => {
    const { page } = await at('/ui/system');
    await page.getByRole('list', { name: 'Findings' }).waitFor();
    const shown = await page.getByRole('list', { name: 'Findings' }).getByRole('listitem').allInnerTexts();
    const { output } = await runLine(['doctor', '-o', 'ndjson'], {
      address: service.address,
      token: service.rootToken,
    });
    const told = output.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row) as { finding: string }]));
    // The session ends, the root token does not; and the page has the version of the server.
    const same = told.filter(({ finding }) => !/never ends|this program/.test(finding));
    expect(same.length).toBeGreaterThan(5);
    for (const { finding } of same) expect(shown.join('\n')).toContain(finding);
  });

  test.each(bothColours)('mounts, tunes, moves and removes an engine (%s)', async (colours) => {
    const path = service.name('apps');
    const { page } = await at('/ui/system/mounts', colours);
    await press(page, 'New mount');
    await page.getByLabel('Path (required)').fill(path);
    await page.getByLabel('Engine').selectOption('KV 1: secrets without versions');
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)>');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Mount');
    await press(page, `Settings of ${path}`);
    await page.getByLabel('Longest lease time').fill('never');
    await press(page, 'Save');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Longest lease time').fill('48h');
    await page.getByLabel('Engine').selectOption('Upgrade to KV 2');
    await press(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
    const { data } = await service.ask('GET', `sys/mounts/${path}`);
    expect(data).toMatchObject({ config: { max_lease_ttl: 172_800 }, options: { version: '2' } });
    await press(page, `Move ${path}`);
    await page.getByLabel('New path').fill(`${path}-b`);
    await press(page, 'Move');
    await press(page, `Remove ${path}-b`);
    await page.getByText('None of them is sent to a destination.').waitFor();
    await page.getByLabel(`Type ${path}-b to confirm`).fill(path);
    await expect
      .poll(() => page.getByRole('button', { name: 'Remove mount' }).getAttribute('aria-disabled'))
      .toBe('true');
    await page.getByLabel(`Type ${path}-b to confirm`).fill(`${path}-b`);
    expect(await violations(page)).toEqual([]);
    await press(page, 'Remove mount');
    await dialog(page).waitFor({ state: 'detached' });
    expect((await service.ask('GET', `sys/mounts/${path}-b`)).status).toBe(400);
  });

  test('changes the capacity of the queue, and pauses all syncs', async () => {
    const { page } = await at('/ui/system/sync');
    await press(page, 'Change capacity');
    await page.getByLabel('Operations (required)').fill('0');
    await press(page, 'Save');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Operations (required)').fill('5000');
    await press(page, 'Save');
    await page.getByText('5,000 operations').waitFor();
    await press(page, 'Pause all syncs');
    await page.getByText('Paused', { exact: true }).waitFor();
    await press(page, 'Resume all syncs');
    await page.getByText('Running', { exact: true }).waitFor();
    expect((await service.ask('GET', 'sys/sync/config')).data).toMatchObject({
      disabled: false,
      queue_capacity: 5_000,
    });
    await service.ask('DELETE', 'sys/sync/config');
  });

  test('rotates the encryption key and sets when it changes', async () => {
    const { page } = await at('/ui/system/keys');
    const { data: before } = await service.ask('GET', 'sys/key-status');
    await press(page, 'Rotate now');
    await press(page, 'Rotate');
    await dialog(page).waitFor({ state: 'detached' });
    expect((await service.ask('GET', 'sys/key-status')).data['term']).toBe(Number(before['term']) + 1);
    await press(page, 'Change');
    await page.getByLabel('Longest age of a key').fill('1h');
    await press(page, 'Save');
    await dialog(page).getByText('interval must be').waitFor();
    await page.getByLabel('Longest age of a key').fill('720h');
    await press(page, 'Save');
    await dialog(page).waitFor({ state: 'detached' });
    expect((await service.ask('GET', 'sys/rotate/config')).data).toMatchObject({ interval: '720h0m0s' });
    expect(await violations(page)).toEqual([]);
  });

  test('enables an audit device, hashes as it does, and disables it', async () => {
    const { page } = await at('/ui/system/audit');
    await page.getByText('Nothing is recorded').waitFor();
    await press(page, 'New device');
    await page.getByLabel('File (required)').fill('not-absolute');
    await press(page, 'Enable');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('File (required)').fill('discard');
    await press(page, 'Enable');
    await press(page, 'Hash a text as file does');
    await page.getByRole('textbox', { name: 'Text' }).fill('needle');
    await press(page, 'Hash');
    const shown = await dialog(page)
      .getByText(/^hmac-sha256:/)
      .textContent();
    const { data } = await service.ask('POST', 'sys/audit-hash/file', { input: 'needle' });
    expect(shown).toBe(data['hash']);
    await dialog(page).getByRole('button', { name: 'Close' }).first().click();
    await press(page, 'Disable file');
    await page.getByText('nothing will be recorded').waitFor();
    await page.getByLabel('Type file to confirm').fill('file');
    await press(page, 'Disable device');
    await page.getByText('Nothing is recorded').waitFor();
  });

  test('makes, changes and deletes a quota from the fields that the server describes', async () => {
    const name = service.name('quota');
    const { page } = await at('/ui/system/quotas');
    await press(page, 'New quota: Rate limits');
    await page.getByLabel('Name (required)').fill(name);
    await page.getByRole('textbox', { name: 'Rate', exact: true }).fill('0');
    await press(page, 'Save');
    await dialog(page).getByText('must be more than 0').waitFor();
    await page.getByRole('textbox', { name: 'Rate', exact: true }).fill('100000');
    await page.getByRole('textbox', { name: 'Path', exact: true }).fill('secret/');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Save');
    await page.getByText('100,000 in 1 s').waitFor();
    await press(page, `Edit ${name}`);
    await page.getByLabel('Interval', { exact: true }).fill('60');
    await press(page, 'Save');
    await page.getByText('100,000 in 60 s').waitFor();
    expect((await service.ask('GET', `sys/quotas/rate-limit/${name}`)).data).toMatchObject({
      path: 'secret/',
      interval: 60,
    });
    await press(page, `Delete ${name}`);
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await press(page, 'Delete quota');
    await page.getByText(name).first().waitFor({ state: 'detached' });
    expect((await service.ask('GET', `sys/quotas/rate-limit/${name}`)).status).toBe(404);
  });

  test('shows a narrow caller the parts that its policies grant, and says of the others what is missing', async () => {
    const policy = 'path "sys/mounts" { capabilities = ["read"] }';
    await service.ask('POST', 'sys/policies/acl/looks-at-mounts', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['looks-at-mounts'] });
    const { client_token } = made.body['auth'] as { client_token: string };
    const opened = await at('/ui/system/keys', 'light', client_token);
    opened.forgive(/status of 403/);
    const { page } = opened;
    await page.getByText('Your policies do not show you this').waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the system' });
    await expect.poll(() => parts.getByRole('link').allInnerTexts()).toEqual(['Doctor', 'Mounts']);
    await parts.getByRole('link', { name: 'Mounts' }).click();
    await refusal(page, 'New mount', 'Your policies do not grant');
    expect(await dialog(page).count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser())('namespaces', () => {
  beforeAll(async () => {
    await service.ask('POST', 'sys/namespaces/team-a', {});
    await service.ask('POST', 'team-a/sys/namespaces/inner', {});
    await service.ask('POST', 'sys/mounts/of-the-root', { type: 'kv-v2' });
    await service.ask('POST', 'team-a/sys/mounts/of-the-team', { type: 'kv-v2' });
  });

  test.each(bothColours)('are entered, and nothing of the one before is left on the page (%s)', async (colours) => {
    const { page } = await at('/ui/system/mounts', colours);
    await page.getByText('of-the-root/').waitFor();
    await press(page, 'Namespace: root');
    await page.getByRole('button', { name: 'Enter team-a' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Enter team-a');
    await page.getByRole('button', { name: 'Namespace: team-a' }).waitFor();
    const isLeft = async () => (await page.content()).includes('of-the-root');
    expect(await isLeft()).toBe(false);
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('main').getByText('of-the-team').waitFor();
    expect(await isLeft()).toBe(false);
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('link', { name: 'Mounts' }).click();
    await page.getByText('of-the-team/').waitFor();
    expect(await isLeft()).toBe(false);
    const parts = page.getByRole('navigation', { name: 'Parts of the system' });
    await expect.poll(() => parts.getByRole('link').allInnerTexts()).toEqual(['Doctor', 'Mounts', 'Versions']);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{"keyferry-namespace":"team-a"}');
    await press(page, 'Namespace: team-a');
    await press(page, 'Enter root');
    await page.getByRole('button', { name: 'Namespace: root' }).waitFor();
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('link', { name: 'Mounts' }).click();
    await page.getByText('of-the-root/').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('of-the-team');
  });

  test('are created in the tree, and deleted by their path', async () => {
    const { page } = await at('/ui/');
    const name = service.name('child');
    await press(page, 'Namespace: root');
    await press(page, 'New namespace in team-a');
    await page.getByLabel('Name (required)').fill('sys');
    await press(page, 'Create');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Name (required)').fill(name);
    await press(page, 'Create');
    await press(page, 'Namespaces in team-a');
    await press(page, `Delete team-a/${name}`);
    await page.getByLabel(`Type team-a/${name} to confirm`).fill(`team-a/${name}`);
    await press(page, 'Delete namespace');
    await page.getByText(new RegExp(`team-a/${name} is (?:deleted|gone)`)).waitFor();
    expect((await service.ask('GET', `team-a/sys/namespaces/${name}`)).status).toBe(404);
  });

  test('are those at and below that of the token', async () => {
    await service.ask('POST', 'team-a/sys/auth/userpass', { type: 'userpass' });
    await service.ask('POST', 'team-a/sys/policies/acl/team', {
      policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }',
    });
    await service.ask('POST', 'team-a/auth/userpass/users/ada', {
      password: 'correct horse battery',
      token_policies: 'team',
    });
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    forgive(/status of 40[34]/);
    await page.getByLabel('Log in with').selectOption('Username and password');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Namespace').fill('team-a');
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password').fill('correct horse battery');
    await press(page, 'Log in');
    await press(page, 'Namespace: team-a');
    await page.getByRole('button', { name: 'Enter team-a/inner' }).waitFor();
    expect(await page.getByRole('button', { name: 'Enter root' }).count()).toBe(0);
    await press(page, 'Enter team-a/inner');
    await page.getByRole('button', { name: 'Namespace: team-a/inner' }).waitFor();
  });
});
