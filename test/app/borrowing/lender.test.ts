import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openLender } from '#app/borrowing/lender.ts';
import type { UnsealLogin, UnsealSettings } from '#core/settings/unseal.ts';
import { wrapLoan } from '#store/seal/keys/loan.ts';
import { newMaterial, type SealMaterial } from '#store/seal/start/material.ts';
import { type HttpsServer, startHttps } from '../../support/auth/https-server.ts';

const secretId = 'secret-id-that-stays-hidden';
const token = 'hvs.token-that-stays-hidden';

let folder: string;
let material: SealMaterial;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-borrowing-'));
  await Promise.all([
    writeFile(join(folder, 'secret-id'), `${secretId}\n`),
    writeFile(join(folder, 'empty'), ' \n'),
    writeFile(join(folder, 'no-token'), 'a b'),
    writeFile(join(folder, 'token'), `${token}\n`),
  ]);
  material = await newMaterial({ shares: 3, threshold: 2 }, undefined, new Date());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, string>>;
}

type Answering = (asked: Asked, response: ServerResponse) => void;

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** The answers of a working API. */
const honest: Readonly<Record<string, Answering>> = {
  '/v1/auth/approle/login': (_asked, response) => json(response, { auth: { client_token: token } }),
  '/v1/auth/orchestrator/login': (_asked, response) => json(response, { auth: { client_token: token } }),
  '/v1/sys/sync/unseal': ({ body }, response) => json(response, { data: loanFor(body['public_key'] ?? '') }),
  '/v1/auth/token/revoke-self': (_asked, response) => {
    response.writeHead(204).end();
  },
};

const loanFor = (publicKey: string, rootKey = material.rootKey, changes: object = {}): object => {
  const terms = { clusterId: material.record.cluster_id, seals: material.record.seals };
  const wrapped = wrapLoan(rootKey, publicKey, terms).toString('base64');
  return { wrapped_root_key: wrapped, cluster_id: terms.clusterId, seals: terms.seals, ...changes };
};

/** An API that answers some paths differently. */
async function apiOf(own: Readonly<Record<string, Answering>> = {}, names?: readonly string[]) {
  const asked: Asked[] = [];
  const answers: Readonly<Record<string, Answering>> = { ...honest, ...own };
  const server = await startHttps((request, response) => {
    void read(request).then((one) => {
      asked.push(one);
      answers[one.path]?.(one, response);
    });
  }, names);
  onTestFinished(() => server.close());
  return { server, asked };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return { path: request.url ?? '', headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) };
}

const approle = (): UnsealLogin => ({
  kind: 'approle',
  mount: 'approle',
  roleId: 'role',
  secretIdFile: join(folder, 'secret-id'),
});

/** Borrows once. Trusts the server unless another certificate file is given. */
async function borrow(
  { address, certificate }: HttpsServer,
  changes: Partial<UnsealSettings> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const caFile = join(folder, `${randomBytes(4).toString('hex')}.pem`);
  await writeFile(caFile, certificate);
  const seen: string[] = [];
  const settings = { address: new URL(address), caFile, login: approle(), keepMs: 1_000, ...changes };
  const lender = openLender(settings, (result) => seen.push(result));
  const result = await lender.openRootKey(material.record, signal).then(
    (rootKey) => ({ rootKey, error: undefined }),
    (error: unknown) => ({ rootKey: undefined, error: error as Error }),
  );
  return { ...result, seen };
}

/** Expects a failure that is repeated later and discloses nothing of the request. */
function mustHaveFailed({ error, seen }: Awaited<ReturnType<typeof borrow>>, message: RegExp): void {
  expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) });
  expect(seen).toEqual(['failed']);
  expect(String(error?.message)).not.toMatch(/stays-hidden|BEGIN/);
}

describe('a working API', () => {
  test('lends the root key to a login with approle, and the token of the login is revoked', async () => {
    const { server, asked } = await apiOf();
    const { rootKey, seen } = await borrow(server);
    expect(rootKey).toEqual(material.rootKey);
    expect(seen).toEqual(['opened']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/auth/approle/login',
      '/v1/sys/sync/unseal',
      '/v1/auth/token/revoke-self',
    ]);
    expect(asked[0]?.body).toEqual({ role_id: 'role', secret_id: secretId });
    expect(asked[0]?.headers.authorization).toBeUndefined();
    for (const { headers } of asked) expect(headers['x-service-request']).toBe('true');
    for (const { headers } of asked.slice(1)) expect(headers.authorization).toBe(`Bearer ${token}`);
  });

  test('gets another key with each request', async () => {
    const { server, asked } = await apiOf();
    await borrow(server);
    await borrow(server);
    const keys = asked.flatMap(({ body }) => body['public_key'] ?? []);
    expect(new Set(keys).size).toBe(2);
  });

  test('accepts a login as a service account, with the current token in its file', async () => {
    const { server, asked } = await apiOf();
    const tokenFile = join(folder, 'account');
    const login: UnsealLogin = { kind: 'orchestrator', mount: 'orchestrator', role: 'sync', tokenFile };
    for (const jwt of ['one', 'two']) {
      await writeFile(tokenFile, jwt);
      expect((await borrow(server, { login })).rootKey).toEqual(material.rootKey);
    }
    const bodies = asked.filter(({ path }) => path.endsWith('/login')).map(({ body }) => body);
    expect(bodies).toEqual([
      { role: 'sync', jwt: 'one' },
      { role: 'sync', jwt: 'two' },
    ]);
  });

  test('accepts a token from a file, which is not revoked', async () => {
    const { server, asked } = await apiOf();
    const login: UnsealLogin = { kind: 'token', tokenFile: join(folder, 'token') };
    expect((await borrow(server, { login })).rootKey).toEqual(material.rootKey);
    expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/sys/sync/unseal', `Bearer ${token}`],
    ]);
  });

  test('lends even if the token cannot be revoked', async () => {
    const { server } = await apiOf({ '/v1/auth/token/revoke-self': (_asked, response) => json(response, {}, 403) });
    expect((await borrow(server)).rootKey).toEqual(material.rootKey);
  });
});

describe('nothing is sent to', () => {
  test.each([
    ['a server with the certificate of another authority', undefined, /certificate is not trusted/],
    ['a server with a certificate for another name', ['other.example'], /certificate is not trusted/],
  ])('%s', async (_what, names, message) => {
    const { server, asked } = await apiOf({}, names);
    const trusted = names === undefined ? (await apiOf()).server : server;
    mustHaveFailed(await borrow({ ...server, certificate: trusted.certificate }), message);
    expect(asked).toEqual([]);
  });

  test.each([
    ['is not there', 'none', /none cannot be read: ENOENT/],
    ['is empty', 'empty', /empty is empty/],
  ])('an API while the file of the secret id %s', async (_what, name, message) => {
    const { server, asked } = await apiOf();
    mustHaveFailed(
      await borrow(server, { login: { ...approle(), secretIdFile: join(folder, name) } as UnsealLogin }),
      message,
    );
    expect(asked).toEqual([]);
  });

  test('an API while the file has no valid token, or its certificates cannot be read', async () => {
    const { server, asked } = await apiOf();
    const login: UnsealLogin = { kind: 'token', tokenFile: join(folder, 'no-token') };
    mustHaveFailed(await borrow(server, { login }), /contains no valid token/);
    mustHaveFailed(await borrow(server, { caFile: join(folder, 'none.pem') }), /none\.pem cannot be read: ENOENT/);
    mustHaveFailed(
      await borrow(server, { caFile: join(folder, 'token') }),
      /its configured CA certificates cannot be parsed/,
    );
    expect(asked).toEqual([]);
  });
});

const steps = [
  ['the login', '/v1/auth/approle/login', /^the login failed/],
  ['the loan', '/v1/sys/sync/unseal', /^nothing was lent/],
] as const;

const strange: readonly (readonly [string, Answering])[] = [
  ['is redirected', (_asked, response) => response.writeHead(307, { location: 'https://localhost:1/v1/x' }).end()],
  ['gets an empty answer', (_asked, response) => response.writeHead(200).end()],
  ['gets 204', (_asked, response) => response.writeHead(204).end()],
  ['gets an HTML page', (_asked, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['is echoed', ({ body }, response) => json(response, body)],
  ['gets other JSON', (_asked, response) => json(response, { data: [1], auth: 'x' })],
  ['gets half of the answer', (_asked, response) => response.writeHead(200).end('{"data":{"wrapped_root_key":"aa')],
  ['gets megabytes', (_asked, response) => json(response, { data: 'x'.repeat(2_000_000) })],
  ['is cut off', (_asked, response) => void response.destroy()],
  ...[400, 403, 404, 412, 429, 500, 502, 503].map(
    (status) =>
      [
        `is refused with ${status} and an echo`,
        ({ body }: Asked, response: ServerResponse) => json(response, { errors: [body] }, status),
      ] as const,
  ),
];

describe.each(steps)('%s', (_step, path, begins) => {
  test.each(strange)('%s', async (_what, answer) => {
    const { server } = await apiOf({ [path]: answer });
    mustHaveFailed(await borrow(server), begins);
  });

  test('is not awaited beyond its time limit', async () => {
    const [ending, asked] = [new AbortController(), Promise.withResolvers<void>()];
    const { server } = await apiOf({ [path]: () => asked.resolve() });
    const borrowed = borrow(server, {}, ending.signal);
    await asked.promise;
    ending.abort();
    mustHaveFailed(await borrowed, begins);
  });
});

describe('an answer opens nothing that', () => {
  const loan = (answer: (publicKey: string) => object) => ({
    '/v1/sys/sync/unseal': (({ body }, response) =>
      json(response, { data: answer(body['public_key'] ?? '') })) as Answering,
  });

  test('belongs to another installation; both are named', async () => {
    const other = '22222222-2222-4222-8222-222222222222';
    const { server } = await apiOf(loan((key) => loanFor(key, material.rootKey, { cluster_id: other })));
    const message = new RegExp(`${other}.*${material.record.cluster_id}.*KEYFERRY_UNSEAL_ADDRESS`);
    mustHaveFailed(await borrow(server), message);
  });

  test('belongs to another sealing', async () => {
    const { server } = await apiOf(loan((key) => loanFor(key, material.rootKey, { seals: 1 })));
    mustHaveFailed(await borrow(server), /being sealed or unsealed/);
  });

  test('was sent before', async () => {
    let first: object | undefined;
    const { server } = await apiOf(
      loan((key) => {
        first ??= loanFor(key);
        return first;
      }),
    );
    expect((await borrow(server)).rootKey).toEqual(material.rootKey);
    mustHaveFailed(await borrow(server), /not for this request/);
  });

  test('contains a wrong key', async () => {
    const { server } = await apiOf(loan((key) => loanFor(key, randomBytes(32))));
    mustHaveFailed(await borrow(server), /does not open the store/);
    const { server: other } = await apiOf(loan((key) => loanFor(key, randomBytes(16))));
    mustHaveFailed(await borrow(other), /does not open the store/);
  });

  test('contains a text for the log instead of an installation', async () => {
    const { server } = await apiOf(loan((key) => loanFor(key, material.rootKey, { cluster_id: secretId })));
    mustHaveFailed(await borrow(server), /does not come from this service/);
  });
});

test.each(['a\r\nb: c', '', 'x'.repeat(10_000)])(
  'a login fails when its token cannot be a header value',
  async (bad) => {
    const { server, asked } = await apiOf({
      '/v1/auth/approle/login': (_asked, response) => json(response, { auth: { client_token: bad } }),
    });
    mustHaveFailed(await borrow(server), /token/);
    expect(asked).toHaveLength(1);
  },
);
