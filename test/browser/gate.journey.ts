import { readFile } from 'node:fs/promises';
import * as OTPAuth from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenIdProvider, startOpenIdProvider } from '#test/support/auth/openid-provider.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from './support/browse.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const shell = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).waitFor();
/** Without a session, the first look-up is refused; a sealed service refuses more. */
const refused = /status of (?:400|403|503)/;

describe.skipIf(!hasBrowser())('a new service', () => {
  const fresh = shamirService({}, 'not-yet');
  const { visit } = browsing(firstOf(fresh));

  test('shows its shares once, to be downloaded, and is opened with them', async () => {
    const { page, forgive } = await visit('/ui/', 'dark');
    forgive(refused);
    await page.getByLabel('Key shares').fill('5');
    await page.getByLabel('Shares needed').fill('3');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Create keys');
    await page.getByText('Keep these now').waitFor();
    expect(await violations(page)).toEqual([]);
    const shares = await page.getByRole('listitem').allInnerTexts();
    expect(new Set(shares).size).toBe(5);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    const kept = await readFile(await file.path(), 'utf8');
    for (const share of shares) expect(kept).toContain(share);
    const token = /root token: (\S+)/.exec(kept)?.[1] ?? '';
    await refusal(page, 'Go on', 'Keep the shares first.');
    await page.getByLabel('I have kept the shares and the token').check();
    await press(page, 'Go on');
    for (const [at, share] of shares.slice(0, 3).entries()) {
      await page.getByText(`${at} of 3 key shares`).waitFor();
      await page.getByLabel('Key share (required)').fill(share);
      await press(page, 'Send share');
    }
    await page.getByLabel('Log in with').waitFor();
    await page.reload();
    await page.getByLabel('Log in with').waitFor();
    expect(await page.locator('body').textContent()).not.toContain(shares[0]);
    await logIn({ page, forgive, context: page.context() }, token);
  });
});

describe.skipIf(!hasBrowser())('a sealed service', () => {
  const sealed = shamirService({}, { secret_shares: 5, secret_threshold: 3 });
  const { visit } = browsing(firstOf(sealed));

  const send = async (page: Page, share: string, progress: string | RegExp) => {
    await page.getByLabel('Key share (required)').fill(share);
    await press(page, 'Send share');
    await page.getByText(progress).first().waitFor();
  };

  test.each(bothColours)(
    'is opened by three of five shares, after a wrong one and a new start (%s)',
    async (colours) => {
      await sealed.restart();
      const { page, forgive } = await visit('/ui/', colours);
      forgive(refused);
      const [one = '', two = '', three = '', four = ''] = sealed.keys;
      await page.getByText('The service is sealed').waitFor();
      await send(page, 'not a share', /share|key/i);
      await page.getByRole('alert').waitFor();
      await send(page, one, '1 of 3 key shares');
      await send(page, two, '2 of 3 key shares');
      expect(await violations(page)).toEqual([]);
      await press(page, 'Start over');
      await page.getByText('0 of 3 key shares').waitFor();
      await send(page, four, '1 of 3 key shares');
      await send(page, three, '2 of 3 key shares');
      // It looks like a share, so only the third one can show that they do not fit together.
      await send(page, forged(one), '0 of 3 key shares');
      await page.getByRole('alert').waitFor();
      await send(page, four, '1 of 3 key shares');
      await send(page, three, '2 of 3 key shares');
      await send(page, two, 'Log in with');
      await sealed.unseal();
    },
  );

  test('is noticed when it is sealed elsewhere, and when it is opened again', async () => {
    await sealed.unseal();
    const opened = await visit('/ui/');
    const { page, forgive } = opened;
    forgive(refused);
    await logIn(opened, sealed.rootToken);
    await sealed.ask(0, 'PUT', 'sys/seal', {}, sealed.rootToken);
    await page.getByText('The service is sealed').waitFor();
    await sealed.unseal();
    await shell(page);
  });

  test('is sealed by the page itself', async () => {
    await sealed.unseal();
    const opened = await visit('/ui/system/seal');
    const { page, forgive } = opened;
    forgive(refused);
    await logIn(opened, sealed.rootToken);
    await press(page, 'Seal');
    await page.getByText('3 key shares open each process again.').waitFor();
    await page.getByLabel('Type seal to confirm').fill('seal');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Seal', exact: true }).click();
    await page.getByText('The service is sealed').waitFor();
    expect((await sealed.ask(0, 'GET', 'sys/seal-status')).body['sealed']).toBe(true);
    await sealed.unseal();
  });
});

describe.skipIf(!hasBrowser())('a login', () => {
  const service = serviceOf([]);
  let provider: OpenIdProvider | undefined;
  const { visit } = browsing(service, () => (provider === undefined ? [] : [provider.address]));

  beforeAll(async () => {
    provider = await startOpenIdProvider([`${service.address}/ui/callback`]);
    await service.ask('POST', 'sys/auth/people', { type: 'oidc', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/people/config', {
      oidc_discovery_url: provider.address,
      oidc_discovery_ca_pem: provider.certificate,
      oidc_client_id: provider.clientId,
      oidc_client_secret: provider.clientSecret,
      default_role: 'page',
    });
    const role = { user_claim: 'sub', token_policies: ['default'] };
    const callback = `${service.address}/ui/callback`;
    await service.ask('POST', 'auth/people/role/page', { ...role, allowed_redirect_uris: [callback] });
    await service.ask('POST', 'auth/people/role/other', {
      ...role,
      allowed_redirect_uris: ['https://elsewhere.example/callback'],
    });
  });
  afterAll(() => provider?.close());

  const atProvider = async (page: Page, user: string) => {
    await page.locator('[name=login]').fill(user);
    await page.locator('[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();
  };

  test.each(bothColours)('at a provider comes back to where it was, lasts, and ends (%s)', async (colours) => {
    const { page, forgive, context } = await visit('/ui/secrets?mount=secret', colours);
    forgive(refused);
    forgive(/status of 404/);
    await page.getByLabel('Log in with').selectOption('Single sign-on (people)');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Go on to the provider');
    await atProvider(page, 'ada');
    await page.getByRole('button', { name: 'people-ada' }).waitFor();
    await expect.poll(() => page.url()).toBe(`${service.address}/ui/secrets?mount=secret`);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toMatch(
      /nonce|hvs/,
    );
    await page.reload();
    await press(page, 'people-ada');
    await press(page, 'Log out');
    await page.getByLabel('Log in with').waitFor();
    await expect.poll(() => context.cookies(`${service.address}/v1`)).toEqual([]);
  });

  test('of which the answer was not asked for in this tab is not taken', async () => {
    const { page, forgive } = await visit('/ui/callback?state=st_forged&code=forged');
    forgive(refused);
    await page.getByText('This login was not begun in this tab').waitFor();
    await expect.poll(() => page.url()).toBe(`${service.address}/ui/`);
    expect(await violations(page)).toEqual([]);
    await press(page, 'Log in again');
    await page.getByLabel('Log in with').waitFor();
  });

  test('at a provider says what the role lacks, and what the provider refused', async () => {
    const { page, forgive } = await visit();
    forgive(refused);
    forgive(/status of 404/);
    await page.getByLabel('Log in with').selectOption('Single sign-on (people)');
    await page.getByLabel('Role').fill('other');
    await press(page, 'Go on to the provider');
    await page.getByText(`must have ${service.address}/ui/callback`).waitFor();
    await page.getByLabel('Role').fill('');
    await press(page, 'Go on to the provider');
    await page.getByText('Cancel').click();
    await page.getByText('the provider refused it: access_denied').waitFor();
  });

  test('at a provider asks for the code of a second factor', async () => {
    const key = await enforcedKey('people');
    const { page, forgive } = await visit();
    forgive(refused);
    forgive(/status of 404/);
    await page.getByLabel('Log in with').selectOption('Single sign-on (people)');
    await press(page, 'Go on to the provider');
    await atProvider(page, 'ada');
    await page.getByLabel('Code').fill(OTPAuth.URI.parse(key).generate());
    await press(page, 'Log in');
    await page.getByRole('button', { name: 'people-ada' }).waitFor();
    await service.ask('DELETE', 'identity/mfa/login-enforcement/people');
  });

  test('with AppRole lasts over a reload and ends with the log out', async () => {
    await service.ask('POST', 'sys/auth/machines', { type: 'approle', config: { listing_visibility: 'unauth' } });
    await service.ask('POST', 'auth/machines/role/ci', { token_policies: 'default' });
    const { data: id } = await service.ask('GET', 'auth/machines/role/ci/role-id');
    const { data: secret } = await service.ask('POST', 'auth/machines/role/ci/secret-id', {});
    const { page, forgive } = await visit();
    forgive(refused);
    forgive(/status of 404/);
    await page.getByLabel('Log in with').selectOption('AppRole (machines)');
    await page.getByLabel('Role ID').fill(String(id['role_id']));
    await page.getByLabel('Secret ID').fill(String(secret['secret_id']));
    await press(page, 'Log in');
    await page.getByRole('button', { name: /^machines/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^machines/ }).click();
    await press(page, 'Log out');
    await page.getByLabel('Log in with').waitFor();
  });

  /** Logins at a mount need a code from now on. Returns the URL of the key of `ada`, who has logged in before. */
  async function enforcedKey(mount: string): Promise<string> {
    const method = await service.ask('POST', 'identity/mfa/method/totp', { issuer: 'keyferry', period: 30 });
    const id = String(method.data['method_id']);
    const { data: auth } = await service.ask('GET', 'sys/auth');
    const { accessor } = auth[`${mount}/`] as { accessor: string };
    const found = await service.ask('POST', 'identity/lookup/entity', {
      alias_name: 'ada',
      alias_mount_accessor: accessor,
    });
    const made = await service.ask('POST', 'identity/mfa/method/totp/admin-generate', {
      method_id: id,
      entity_id: found.data['id'],
    });
    const enforced = { mfa_method_ids: [id], auth_method_accessors: [accessor] };
    await service.ask('POST', `identity/mfa/login-enforcement/${mount}`, enforced);
    return String(made.data['url']);
  }
});

/** A share of the right form with another value at the same place. */
const forged = (share: string): string => `${share.startsWith('00') ? '01' : '00'}${share.slice(2)}`;

/** The first process of a service. */
function firstOf(service: { readonly addresses: readonly string[] }) {
  return {
    get address() {
      return service.addresses[0] ?? '';
    },
  };
}
