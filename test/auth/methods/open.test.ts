import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '#auth/login/contract.ts';
import type { AuthMethod } from '#auth/methods/contract.ts';
import { methods } from '#auth/methods/index.ts';
import { openMethods } from '#auth/methods/open.ts';
import { permissionDenied } from '#core/errors.ts';
import type { HttpServer } from '#http/server/server.ts';
import type { Mount } from '#path/contract/mount.ts';
import { text } from '#path/fields.ts';
import type { OpenStore } from '#store/open.ts';
import { mount, mountTable, sampleServer } from '../../http/sample.ts';
import { testStore } from '../../store/stores.ts';
import { callersOn } from '../../support/auth/callers.ts';

const bounds: Identity['bounds'] = {
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  numUses: 0,
  renewable: true,
  noDefaultPolicy: false,
  type: 'service',
  cidrs: [],
};

/** Accepts every name with the right password; the name selects the settings of the token. */
const wanted: Readonly<Record<string, Partial<Omit<Identity, 'bounds'>> & Partial<Identity['bounds']>>> = {
  plain: {},
  short: { ttl: 60, numUses: 2, noDefaultPolicy: true },
  greedy: { policies: [' Root '] },
  long: { ttl: 10_000 },
  capped: { ttl: 500, maxTtl: 100 },
  periodic: { period: 30 },
  fixed: { renewable: false },
};

const knock: AuthMethod = {
  type: 'knock',
  open: ({ login }) => ({
    rows: [
      {
        pattern: 'login',
        help: 'Logs in.',
        operations: {
          write: login(
            { name: text(), password: text().meta({ description: 'Password', sensitive: true }) },
            {
              summary: 'Log in',
              async identify({ name, password }) {
                if (password !== 'open sesame') throw permissionDenied();
                const { policies = ['B', 'a '], ...more } = wanted[name] ?? {};
                const identity = { displayName: name, alias: name, policies, metadata: { from: 'door' } };
                return { ...identity, bounds: { ...bounds, ...more } };
              },
            },
          ),
        },
      },
    ],
  }),
};

const at = (path: string, max: number): Mount => ({
  ...mount(path, 'knock'),
  config: { default_lease_ttl: max / 2, max_lease_ttl: max, force_no_cache: false },
});

let store: OpenStore;
let server: HttpServer;
beforeAll(async () => {
  store = await testStore();
  const mounts = mountTable([at('auth/front/door/', 1_000), mount('auth/token/', 'token')]);
  const { methodParts, gatekeeper } = callersOn(store);
  const engines = openMethods([...methods, knock], methodParts);
  server = sampleServer({ engines, mounts, gatekeeper });
});
afterAll(() => store.close());

async function ask(method: string, path: string, payload?: object, token?: string) {
  const reply = await server.inject({
    method,
    url: `/v1/${path}`,
    headers: token === undefined ? {} : { 'x-service-token': token },
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  });
  return { status: reply.statusCode, body: reply.body, json: () => JSON.parse(reply.body) };
}

const login = async (name: string, password = 'open sesame') =>
  ask('POST', 'auth/front/door/login', { name, password });
const lookup = async (token: string) => ask('GET', 'auth/token/lookup-self', undefined, token);

describe('a listed method', () => {
  test('logs in without a token and returns a valid one', async () => {
    const { json } = await login('plain');
    const { auth } = json();
    expect(auth).toMatchObject({
      policies: ['a', 'b', 'default'],
      metadata: { from: 'door' },
      lease_duration: 500,
      renewable: true,
      orphan: true,
      token_type: 'service',
    });
    expect((await lookup(auth.client_token)).json().data).toMatchObject({
      display_name: 'front-door-plain',
      path: 'auth/front/door/login',
      policies: ['a', 'b', 'default'],
      meta: { from: 'door' },
      ttl: expect.any(Number),
    });
  });

  test('has help that names its fields', async () => {
    const { json } = await login('plain');
    const help = await ask('GET', 'auth/front/door/login?help=1', undefined, json().auth.client_token);
    expect(help.json()).toMatchObject({ help: expect.stringContaining('Logs in.') });
    expect(help.body).toContain('x-service-unauthenticated');
  });

  test('refuses a login with the error of its handler, and makes no token', async () => {
    const tokens = async () => (await store.db.selectFrom('tokens').select('hash').execute()).length;
    const before = await tokens();
    expect((await login('plain', 'marker-value')).status).toBe(403);
    expect((await login('greedy')).json()).toEqual({ errors: ['auth methods cannot create root tokens'] });
    expect(await tokens()).toBe(before);
  });
});

test.each([
  ['short', { policies: ['a', 'b'], lease_duration: 60, num_uses: 2 }, []],
  ['long', { lease_duration: 1_000 }, [expect.stringMatching(/^TTL of "2h46m40s" exceeded/)]],
  ['capped', { lease_duration: 100 }, [expect.stringMatching(/^TTL of "8m20s" exceeded/)]],
  ['periodic', { lease_duration: 30 }, []],
  ['fixed', { renewable: false }, []],
])('the bounds of %s apply to the token', async (name, auth, warnings) => {
  const reply = (await login(name)).json();
  expect(reply.auth).toMatchObject(auth);
  expect(reply.warnings ?? []).toEqual(warnings);
});
