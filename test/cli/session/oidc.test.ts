import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { browse } from '../../support/auth/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/auth/openid-provider.ts';
import { type LineOptions, runLine } from '../../support/cli/line.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

// Logins of the command line at a real OpenID provider. The browser is a function that follows redirects and fills in forms.
const service = serviceOf([]);
const listener = 'http://localhost:8250/oidc/callback';
const callbackOf = (mount: string) => `${service.address}/v1/auth/${mount}/oidc/callback`;
let provider: OpenIdProvider;

beforeAll(async () => {
  // Its ports do not matter: the program listens on a free one.
  provider = await startOpenIdProvider([listener, callbackOf('direct'), callbackOf('posting')], {
    application_type: 'native',
  });
  const usual = { user_claim: 'sub', token_policies: 'people', poll_interval: 1 };
  for (const [mount, config, role] of [
    ['oidc', {}, { allowed_redirect_uris: [listener, 'http://[::1]/oidc/callback'] }],
    ['posted', { oidc_response_mode: 'form_post' }, { allowed_redirect_uris: listener }],
    ['direct', {}, { callback_mode: 'direct', allowed_redirect_uris: callbackOf('direct') }],
    [
      'posting',
      { oidc_response_mode: 'form_post' },
      { callback_mode: 'direct', allowed_redirect_uris: callbackOf('posting') },
    ],
    ['device', {}, { callback_mode: 'device' }],
  ] as const) {
    await service.api.write(`sys/auth/${mount}`, { type: 'oidc' });
    await service.api.write(`auth/${mount}/config`, {
      oidc_discovery_url: provider.address,
      oidc_discovery_ca_pem: provider.certificate,
      oidc_client_id: provider.clientId,
      oidc_client_secret: provider.clientSecret,
      default_role: 'dev',
      ...config,
    });
    await service.api.write(`auth/${mount}/role/dev`, { ...usual, ...role });
  }
});
afterAll(() => provider.close());

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'keyferry-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const stored = (home: string) => readFile(join(home, '.vault-token'), 'utf8');

const loginAt = (mount: string, more: readonly string[] = [], options: LineOptions = {}) =>
  runLine(['login', '--method', 'oidc', '--mount', mount, ...anyPort(more), ...more], {
    address: service.address,
    openBrowser: logIn,
    ...options,
  });

/** Only the callback mode client listens. */
const anyPort = (more: readonly string[]): readonly string[] =>
  more.includes('--callback-mode') ? [] : ['--port', '0'];

/** Logs in at the provider, and sends its answer where it asks for. Returns the page that came back. */
async function logIn(address: string): Promise<void> {
  await answered(address);
}

async function answered(address: string): Promise<Response> {
  const { url, form } = await browse(provider, address);
  return fetch(url, form === undefined ? {} : { method: 'POST', body: new URLSearchParams({ ...form }) });
}

describe('a login at a provider', () => {
  test('ends at a listener of this machine, and stores the token', async () => {
    const home = await newHome();
    const pages: Response[] = [];
    const login = await loginAt('oidc', ['--role', 'dev'], {
      home,
      openBrowser: async (address) => void pages.push(await answered(address)),
    });
    expect(login).toMatchObject({ code: 0, output: expect.stringContaining('auth/oidc/oidc/callback') });
    expect(login.errors).toContain(`${provider.address}/auth?`);
    expect(await stored(home)).toMatch(/^hvs\./);
    expect(login.output + login.errors).not.toContain(await stored(home));
    const [page] = pages;
    expect(page?.status).toBe(200);
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'");
    const url = new URL(page?.url ?? '');
    expect([url.hostname, url.pathname]).toEqual(['localhost', '/oidc/callback']);
    const text = (await page?.text()) ?? '';
    expect(text).toContain('You can close this window');
    for (const name of ['code', 'state']) expect(text).not.toContain(url.searchParams.get(name));
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('takes an answer that the provider posts', async () => {
    const login = await loginAt('posted', ['--print-token']);
    expect(login).toMatchObject({ code: 0, output: expect.stringMatching(/^hvs\.\S+\n$/) });
  });

  test('waits on when something else calls its listener', async () => {
    const statuses: number[] = [];
    const login = await loginAt('oidc', ['--print-token'], {
      async openBrowser(address) {
        const { url } = await browse(provider, address);
        const forged = new URL(url);
        forged.searchParams.set('state', 'st_forged');
        statuses.push((await fetch(forged)).status, (await fetch(new URL('/', url))).status);
        statuses.push(
          (await fetch(url, { method: 'POST', body: 'x'.repeat(200_000) }).catch(() => undefined))?.status ?? 400,
        );
        statuses.push((await fetch(url, { method: 'PUT' })).status, (await fetch(url)).status);
      },
    });
    expect(statuses).toEqual([400, 404, 400, 405, 200]);
    expect(login).toMatchObject({ code: 0, output: expect.stringMatching(/^hvs\./) });
  });

  test('tells what the provider refused', async () => {
    const login = await loginAt('oidc', [], {
      async openBrowser(address) {
        const asked = new URL(address).searchParams;
        const answer = { state: asked.get('state') ?? '', error: 'access_denied' };
        await fetch(`${asked.get('redirect_uri')}?${new URLSearchParams(answer)}`);
      },
    });
    expect(login).toMatchObject({ code: 1, errors: expect.stringContaining('the provider refused it: access_denied') });
  });

  test('asks for the code of a second factor', async () => {
    const first = await loginAt('oidc', ['--print-token']);
    const { body } = await service.ask('GET', 'auth/token/lookup-self', undefined, {
      headers: { 'x-service-token': first.output.trim() },
    });
    const { entity_id } = body['data'] as { entity_id: string };
    const settings = { method_name: service.name('phone'), issuer: 'Keyferry', period: 30, skew: 1, digits: 6 };
    const { method_id } = await service.api.write<{ method_id: string }>('identity/mfa/method/totp', settings);
    const { url } = await service.api.write<{ url: string }>('identity/mfa/method/totp/admin-generate', {
      method_id,
      entity_id,
    });
    await service.api.write('identity/mfa/login-enforcement/people', {
      mfa_method_ids: [method_id],
      identity_entity_ids: [entity_id],
    });
    onTestFinished(async () => void (await service.ask('DELETE', 'identity/mfa/login-enforcement/people')));
    const code = new TOTP({ secret: new URL(url).searchParams.get('secret') ?? '' }).generate();
    const login = await loginAt('oidc', ['--print-token'], { input: `${code}\n` });
    expect(login).toMatchObject({ code: 0, output: expect.stringMatching(/^hvs\./) });
    expect(login.errors).not.toContain(code);
  });

  test('shows the address where no browser opens', async () => {
    let opened = 0;
    let loggingIn: Promise<unknown> = Promise.resolve();
    const login = await loginAt('oidc', ['--no-browser', '--print-token'], {
      openBrowser: async () => {
        opened += 1;
      },
      onError(text) {
        const [, address] = /^Open this address:\n(\S+)/.exec(text) ?? [];
        if (address !== undefined) loggingIn = logIn(address);
      },
    });
    await loggingIn;
    expect(login).toMatchObject({ code: 0, output: expect.stringMatching(/^hvs\./) });
    expect(opened).toBe(0);
  });

  test('ends at its deadline', async () => {
    const login = await loginAt('oidc', ['--timeout', '1s'], { openBrowser: async () => {} });
    expect(login).toMatchObject({
      code: 7,
      output: '',
      errors: expect.stringContaining('no login within 1 s'),
    });
  });

  test('ends when the user interrupts it, and leaves no listener behind', async () => {
    const interruption = new AbortController();
    let redirect = '';
    const login = await loginAt('oidc', [], {
      signal: interruption.signal,
      async openBrowser(address) {
        redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
        interruption.abort();
      },
    });
    expect(login).toMatchObject({ code: 130, output: '' });
    await expect(fetch(redirect)).rejects.toThrow('fetch failed');
  });
});

describe('a login without a listener', () => {
  test.each(['direct', 'posting'])('asks the server for its token (%s)', async (mount) => {
    const home = await newHome();
    const login = await loginAt(mount, ['--callback-mode', 'direct'], { home });
    expect(login).toMatchObject({ code: 0, output: expect.stringContaining(`auth/${mount}/oidc/poll`) });
    expect(await stored(home)).toMatch(/^hvs\./);
  });

  test('of a device shows a code, and waits until it is confirmed', async () => {
    let opened = 0;
    let confirming: Promise<unknown> = Promise.resolve();
    const login = await loginAt('device', ['--callback-mode', 'device', '--print-token'], {
      openBrowser: async () => {
        opened += 1;
      },
      onError(text) {
        const [, code, address = ''] = /confirm the code (\S+):\n(\S+)/.exec(text) ?? [];
        if (code !== undefined) confirming = browse(provider, address);
      },
    });
    await confirming;
    expect(login).toMatchObject({ code: 0, output: expect.stringMatching(/^hvs\./) });
    expect(opened).toBe(0);
  });

  test('ends at its deadline, and when the user interrupts it', async () => {
    const late = await loginAt('direct', ['--callback-mode', 'direct', '--timeout', '2s'], {
      openBrowser: async () => {},
    });
    expect(late).toMatchObject({ code: 7, output: '' });
    const interruption = new AbortController();
    const interrupted = await loginAt('direct', ['--callback-mode', 'direct'], {
      signal: interruption.signal,
      openBrowser: async () => interruption.abort(),
    });
    expect(interrupted).toMatchObject({ code: 130, output: '' });
  });
});

describe('a login at a provider is refused', () => {
  test.each([
    [['--callback-mode', 'other'], 2, '--callback-mode must be one of client, direct, device'],
    [['--callback-mode', 'device', '--mfa', 'phone'], 2, '--mfa needs the callback mode client'],
    [['--callback-mode', 'direct', '--port', '0'], 2, '--port needs the callback mode client'],
    [['--callback-mode', 'device', '--listen', '::1'], 2, '--listen needs the callback mode client'],
    [['--listen', '0.0.0.0'], 2, '--listen must be a host of this machine: localhost, 127.0.0.1, ::1'],
    [['--port', '65536'], 2, '--port must be a whole number from 0 to 65535'],
    [['--timeout', '1h'], 2, '--timeout must be at most 15m'],
    [['--listen', '127.0.0.1'], 1, 'allowed_redirect_uris must have http://127.0.0.1:'],
    [['--mount', 'device'], 1, 'the role has the callback mode device'],
    [['--mount', 'direct', '--callback-mode', 'device'], 1, 'missing redirect_uri'],
    [['--role', 'nobody'], 1, 'nobody'],
  ])('with %j', async (more, code, text) => {
    const login = await loginAt('oidc', more, { openBrowser: async () => {} });
    expect(login).toMatchObject({ code, output: '', errors: expect.stringContaining(text) });
  });

  test('where the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const login = await loginAt('oidc', ['--port', String(port)]);
    expect(login).toMatchObject({ code: 1, errors: expect.stringContaining('choose another one with --port') });
  });
});
