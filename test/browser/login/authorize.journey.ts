import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, violations } from '../support/browse.ts';
import { type RelyingParty, startRelyingParty } from '../support/relying-party.ts';

// A system of another site, whose users log in here: it follows the discovery document, as any library of OpenID Connect does.
const service = serviceOf([]);
let party: RelyingParty | undefined;
const system = () => party?.address ?? '';
const { visit } = browsing(service, () => (party === undefined ? [] : [party.address]));

const password = 'correct horse battery';

/** A client for all, a provider of it, and ada, in a namespace. Returns her entity. */
async function prepared(namespace = '') {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.ask(method, `${namespace}${path}`, body);
    expect([answer.errors, answer.status < 300]).toEqual([[], true]);
    return answer;
  };
  if (namespace !== '') await service.ask('POST', `sys/namespaces/${namespace.slice(0, -1)}`, {});
  await ask('POST', 'sys/auth/staff', { type: 'userpass', config: { listing_visibility: 'unauth' } });
  await ask('POST', 'auth/staff/users/ada', { password });
  const login = await service.ask('POST', `${namespace}auth/staff/login/ada`, { password });
  await ask('POST', 'identity/oidc/client/system', { redirect_uris: party?.redirectUri, assignments: 'allow_all' });
  const { data } = await ask('GET', 'identity/oidc/client/system');
  await ask('POST', 'identity/oidc/provider/own', { allowed_client_ids: data['client_id'] });
  const client = {
    issuer: `${service.address}/v1/${namespace}identity/oidc/provider/own`,
    id: String(data['client_id']),
    secret: String(data['client_secret']),
  };
  return { client, entity: String((login.body['auth'] as { entity_id: string }).entity_id) };
}

/** Opens the system in a page of its own, without a session here. */
async function opened(query: Readonly<Record<string, string>> = {}, colours: (typeof bothColours)[number] = 'light') {
  const { page, forgive } = await visit('/ui/', colours);
  // Without a session, the first look-up is refused; so are requests that the journeys mean to be.
  forgive(/status of 40[0349]/);
  await begin(page, query);
  return page;
}

const begin = (page: Page, query: Readonly<Record<string, string>> = {}) =>
  page.goto(`${system()}/login?${new URLSearchParams({ ...query })}`);

async function logIn(page: Page) {
  await page.getByLabel('Log in with').selectOption('Username and password (staff)');
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe.skipIf(!hasBrowser())('a user of another system', () => {
  let entity: string;
  beforeAll(async () => {
    party = await startRelyingParty();
    const own = await prepared();
    party.client = own.client;
    entity = own.entity;
  });
  afterAll(() => party?.close());

  test.each(bothColours)('logs in here once, and is known there (%s)', async (colours) => {
    const page = await opened({}, colours);
    await page.getByLabel('Log in with').waitFor();
    expect(await violations(page)).toEqual([]);
    await logIn(page);
    await says(page, `Hello ${entity}`);
    await expect.poll(() => page.url().startsWith(`${party?.redirectUri}&code=`)).toBe(true);
    await begin(page);
    await says(page, `Hello ${entity}`);
  });

  test('stays here when the address or the client is not one that is registered', async () => {
    const page = await opened({ redirect_uri: 'https://elsewhere.example/' });
    await logIn(page);
    await page.getByText('invalid_redirect_uri').waitFor();
    expect(await violations(page)).toEqual([]);
    await expect
      .poll(() => page.url().startsWith(`${service.address}/ui/vault/identity/oidc/provider/own/authorize?`))
      .toBe(true);
    await begin(page, { client_id: 'nobody' });
    await page.getByText('invalid_client_id').waitFor();
    await page.getByRole('link', { name: 'Open Keyferry' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  test('is sent back with the error that the client may be told', async () => {
    const page = await opened({ response_type: 'token' });
    await logIn(page);
    await says(page, 'Refused: unsupported_response_type');
    await begin(page, { response_mode: 'form_post' });
    await says(page, 'Refused: invalid_request');
  });

  test('goes on, cancels or logs in again where the client asks for that', async () => {
    const page = await opened({ prompt: 'login consent' });
    await logIn(page);
    await page.getByRole('button', { name: 'Go on as staff-ada' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Cancel');
    await says(page, 'Refused: access_denied');
    await begin(page, { prompt: 'consent' });
    await press(page, 'Go on as staff-ada');
    await says(page, `Hello ${entity}`);
    await begin(page, { prompt: 'login' });
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Log in again');
    await logIn(page);
    await says(page, `Hello ${entity}`);
    await begin(page, { prompt: 'none' });
    await says(page, `Hello ${entity}`);
  });

  test('logs in again when the session is older than the client accepts', async () => {
    const page = await opened();
    await logIn(page);
    await says(page, `Hello ${entity}`);
    await sql`update tokens set creation_time = creation_time - interval '1 hour' where entity_id = ${entity}`.execute(
      service.store.db,
    );
    await begin(page, { max_age: '1800', prompt: 'none' });
    await says(page, 'Refused: login_required');
    await begin(page, { max_age: '1800' });
    await press(page, 'Log in again');
    await logIn(page);
    await says(page, `Hello ${entity}`);
  });

  test('logs in in the namespace of the provider', async () => {
    const before = party?.client;
    const team = `${service.name('team')}/`;
    const own = await prepared(team);
    if (party !== undefined) party.client = own.client;
    const page = await opened();
    await expect.poll(() => page.getByLabel('Namespace').inputValue()).toBe(team.slice(0, -1));
    await logIn(page);
    await says(page, `Hello ${own.entity}`);
    if (party !== undefined) party.client = before;
  });
});
