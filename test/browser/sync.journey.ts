import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { browsing, hasBrowser, logIn, refusal, violations } from './support/browse.ts';
import { fillAll, unfold } from './support/fill.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);

describe.skipIf(!hasBrowser())('an operator', () => {
  test('creates a destination: what is missing gets the focus and is announced', async () => {
    const opened = await visit(`/ui/destinations/new/${type}`);
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    forgive(/status of 400/);
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => page.getByLabel('Name (required)').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Name (required)').fill('by-page');
    const fields = service.fake(type).destination as Record<string, unknown>;
    await page.getByLabel('Region', { exact: true }).fill(String(fields['region']));
    await page.getByLabel('Secret access key').fill('x');
    await page.getByRole('button', { name: 'Create' }).click();
    const refused = page.locator('[aria-invalid="true"]').first();
    await refused.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    await expect.poll(() => page.getByRole('alert').count()).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
    for (const [label, name] of [
      ['Access key ID', 'access_key_id'],
      ['Secret access key', 'secret_access_key'],
    ] as const)
      await page.getByLabel(label).fill(String(fields[name]));
    await unfold(page);
    const { region: _filled, ...others } = fields;
    const { data } = await service.ask('GET', `sys/sync/types/${type}`);
    await fillAll(page, data['fields'] as { name: string; label: string }[], others);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'by-page' }).waitFor();
    expect((await service.ask('GET', `sys/sync/destinations/${type}/by-page`)).status).toBe(200);
  });

  test('changes one field: masked values stay, fixed ones are locked', async () => {
    const name = await service.destination(type);
    const opened = await visit(`/ui/destinations/${type}/${name}/settings`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await expect.poll(() => page.getByLabel('Secret access key').inputValue()).toBe('');
    await expect.poll(() => page.getByLabel('Region', { exact: true }).getAttribute('readonly')).not.toBeNull();
    await page.getByText('Objects', { exact: true }).click();
    await page.getByLabel('Tags').fill('team=blue');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The settings are saved').waitFor();
    const { data } = await service.ask('GET', `sys/sync/destinations/${type}/${name}`);
    expect(data['options']).toMatchObject({ custom_tags: { team: 'blue' } });
    const secret = await service.secret({ a: '1' });
    const [record] = await service.set(type, name, secret);
    expect(record).toMatchObject({ sync_status: 'SYNCED' });
  });

  test('sees a sync arrive without a reload, and pauses and resumes all', async () => {
    const name = await service.destination(type);
    await service.set(type, name, await service.secret({ a: '1' }, 'paused/one'));
    const opened = await visit(`/ui/`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Pause sync' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('The sync is paused').first().waitFor();
    await service.ask('POST', 'secret/data/paused/one', { data: { a: '2' } });
    await page.goto(`${service.address}/ui/records?type=${type}&name=${name}`);
    await page.getByRole('row').getByText('Pending').first().waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The sync is paused').waitFor({ state: 'detached' });
    expect((await service.ask('GET', 'sys/sync/config')).data['disabled']).toBe(false);
    await page.goBack();
    await page.getByRole('row').getByText('Synced').first().waitFor();
  });

  test('finds the cause of a failure, mends it, and replays all that match', async () => {
    const name = await service.destination(type, { secret_access_key: 'wrong' });
    for (let at = 0; at < 3; at += 1) await service.set(type, name, await service.secret({ a: '1' }, `needs/${at}`));
    const opened = await visit('/ui/');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    const need = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').filter({ hasText: name });
    await expect
      .poll(() => need.textContent())
      .toMatch(/Credentials refused.*3 records.*What helps: write new credentials/);
    await need.getByRole('link', { name: '3 records' }).click();
    await page.getByRole('row').filter({ hasText: 'needs/0' }).click();
    await page.getByRole('dialog').getByText('What helps').waitFor();
    await page.getByRole('dialog').getByText('Failed', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    const key = String((service.fake(type).destination as Record<string, unknown>)['secret_access_key']);
    const id = String((service.fake(type).destination as Record<string, unknown>)['access_key_id']);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { access_key_id: id, secret_access_key: key });
    await page.getByText('No record matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByLabel('Status').selectOption('Synced');
    await page.getByRole('button', { name: 'Replay all matching' }).click();
    await page.getByRole('button', { name: /^Replay \d/ }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.getByText('Running').or(page.getByText('Done')).first().waitFor();
  });

  test('filters, reloads and goes back', async () => {
    const opened = await visit('/ui/records');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByLabel('Secret begins with').fill('needs/');
    await page.getByText('3 records').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Secret begins with').inputValue()).toBe('needs/');
    await page.getByRole('row').filter({ hasText: 'needs/1' }).click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toBe(`${service.address}/ui/records?prefix=needs%2F`);
    await page.getByLabel('Status').selectOption('Pending');
    await page.getByText('No record matches').waitFor();
    await page.goBack();
    await page.getByText('3 records').waitFor();
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('');
  });

  test('finds a filter that was typed with pauses undone by one step back', async () => {
    const opened = await visit('/ui/records?status=SYNCED');
    const { page } = opened;
    await logIn(opened, service.rootToken);
    for (const typed of ['ne', 'needs', 'needs/']) {
      await page.getByLabel('Secret begins with').fill(typed);
      await page.waitForURL(`**/ui/records?status=SYNCED&prefix=${encodeURIComponent(typed)}`);
    }
    await page.goBack();
    await page.waitForURL('**/ui/records?status=SYNCED');
    await page.locator('input[type=search]').and(page.getByLabel('Secret begins with')).waitFor();
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('SYNCED');
  });

  test('sees names as texts, whatever is in them', async () => {
    const payload = '"><img src=x onerror=alert(1)>';
    const name = await service.destination(type);
    await service.set(type, name, await service.secret({ a: 'marker-secret-value' }, `xss/${payload}`));
    const opened = await visit(`/ui/records?name=${name}&type=${type}`);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('row').filter({ hasText: payload }).click();
    await page.getByRole('dialog').getByText('Synced').first().waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.content()).not.toContain('marker-secret-value');
  });

  test('sees old numbers marked while the server is away, and new ones when it is back', async () => {
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('Destinations').first().waitFor();
    forgive(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|Failed to load/);
    await opened.context.setOffline(true);
    await page.getByText('These numbers are from').waitFor();
    expect(await violations(page)).toEqual([]);
    await opened.context.setOffline(false);
    await page.getByText('These numbers are from').waitFor({ state: 'detached' });
  });

  test('sees old numbers marked while the server hangs, and new ones when it goes on', async () => {
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('Destinations').first().waitFor();
    forgive(/ERR_FAILED|Failed to load/);
    const held: (() => Promise<void>)[] = [];
    await page.route('**/v1/sys/sync/overview*', (route) => void held.push(() => route.abort().catch(() => {})));
    await page.getByText('These numbers are from').waitFor();
    await page.unroute('**/v1/sys/sync/overview*');
    for (const end of held) await end();
    await page.getByText('These numbers are from').waitFor({ state: 'detached' });
  });

  test('has a page that waits for changes, asks plainly where it may not wait, and nothing while it is hidden', async () => {
    const opened = await visit('/ui/queue');
    const { page, forgive } = opened;
    const waits = /\/v1\/sys\/sync\/overview\?since=[^&]+&wait=\d+$/;
    const waiting = page.waitForRequest(waits);
    await logIn(opened, service.rootToken);
    await waiting;
    forgive(/status of 503/);
    await page.route(waits, (route) => route.fulfill({ status: 503, json: { errors: ['too many requests wait'] } }));
    const plain = page.waitForRequest((request) => request.url().endsWith('/v1/sys/sync/overview'));
    const name = await service.destination(type);
    await plain;
    await page.getByRole('row').filter({ hasText: name }).waitFor();
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.waitForTimeout(5_000);
    expect(asked).toEqual([]);
    await page.evaluate(`
      delete document.visibilityState;
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
    await page.waitForRequest((request) => request.url().includes('/v1/sys/sync/overview'));
  });

  test('with a narrow policy sees only what it may', async () => {
    const mine = await service.destination(type);
    const other = await service.destination(type);
    const policy = [
      'path "sys/sync/overview" { capabilities = ["read"] }',
      'path "sys/sync/records*" { capabilities = ["read"] }',
      'path "sys/sync/types/*" { capabilities = ["read"] }',
      `path "sys/sync/destinations/${type}/${mine}" { capabilities = ["read"] }`,
      `path "sys/sync/destinations/${type}/${mine}/associations" { capabilities = ["read"] }`,
    ].join('\n');
    await service.ask('POST', 'sys/policies/acl/narrow', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['narrow'] });
    const opened = await visit('/ui/destinations');
    const { page, forgive } = opened;
    await logIn(opened, (made.body['auth'] as { client_token: string }).client_token);
    await page.getByRole('row').filter({ hasText: mine }).waitFor();
    expect(await page.getByText(other, { exact: true }).count()).toBe(0);
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents())
      .toEqual(['Overview', 'Records', 'Destinations', 'Queue', 'Workspaces']);
    forgive(/status of 403/);
    await refusal(page, 'New destination', 'do not grant');
    await page.goto(`${service.address}/ui/records`);
    await refusal(page, 'Replay all matching', 'sys/sync/batches');
    await page.goto(`${service.address}/ui/destinations/${type}/${mine}`);
    await page.getByText('Healthy').waitFor();
    await refusal(page, 'Check now', `sys/sync/destinations/${type}/${mine}/check`);
    await page.goto(`${service.address}/ui/destinations/${type}/${mine}/settings`);
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.waitFor();
    await page.getByRole('button', { name: 'Save changes' }).and(page.locator('[aria-disabled="true"]')).waitFor();
    await page.goto(`${service.address}/ui/batches`);
    await page.getByText('Your policies do not show you this').waitFor();
  });
});
