import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenService, serviceOf } from '../../support/flow/open-service.ts';
import { badBodies, badQueries } from './bodies.ts';
import { problemWith, type Sender, type Sent, senderTo } from './exchange.ts';
import { fieldJudge, problemWithFields } from './field-problems.ts';
import { type Described, describedBy, shown } from './operations.ts';
import { badPaths } from './paths.ts';
import { filled, type Known } from './samples.ts';

// Every operation of the OpenAPI document gets unexpected input: from root and from a caller with few rights, in both vocabularies.
// Each answer must be a proper one, no unexpected error may be logged, and the service must keep running.
const service = serviceOf([], { KEYFERRY_SYNC_WAIT_MS: '50', KEYFERRY_NETWORK_ALLOWED: 'none' });
const sealed = serviceOf([]);

/** They end the service, or the token of their caller, so each is called where that does no harm. */
const ending = /^POST (sys\/seal|auth\/token\/revoke-self)$|api-lock/;

interface Caller {
  readonly who: string;
  readonly header: string;
  readonly token: () => string;
  /** One of this many bad requests is sent. */
  readonly every: number;
}

/** The operations in groups, so that no test takes long. */
const groups = ['auth', 'sys/sync', 'sys', 'secrets'] as const;

const groupOf = ({ path }: Described): string => groups.find((group) => path.startsWith(`${group}/`)) ?? 'secrets';

let few = '';
let known: Known;
let sender: Sender;
let judge: ReturnType<typeof fieldJudge>;
const answered = new Map<number, number>();
const callers: readonly Caller[] = [
  { who: 'root', header: 'x-service-token', token: () => service.rootToken, every: 2 },
  { who: 'root with names of other clients', header: 'x-vault-token', token: () => service.rootToken, every: 6 },
  { who: 'a token with few rights', header: 'x-service-token', token: () => few, every: 6 },
  { who: 'the same with names of other clients', header: 'x-vault-token', token: () => few, every: 10 },
];

async function newToken(policies: readonly string[]): Promise<string> {
  const { body } = await service.ask('POST', 'auth/token/create', { policies, ttl: '24h' });
  return Object(body['auth']).client_token;
}

async function documentFor(header: string): Promise<readonly Described[]> {
  const headers = { 'x-service-token': undefined, [header]: service.rootToken };
  return describedBy((await service.ask('GET', 'sys/internal/specs/openapi', undefined, { headers })).body);
}

beforeAll(async () => {
  await service.ask('POST', 'sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  await service.ask('POST', 'plain/x', { a: '1' });
  await service.ask('POST', 'secret/data/x', { data: { a: '1' } });
  await service.ask('PUT', 'sys/policies/acl/few', {
    policy: 'path "secret/data/x" { capabilities = ["read", "update"] } path "plain/*" { capabilities = ["list"] }',
  });
  few = await newToken(['few', 'default']);
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '24h' });
  const { client_token: token, accessor } = Object(body['auth']);
  known = { token, accessor };
  await service.ask('POST', 'auth/token/roles/x', { allowed_policies: ['default'] });
  sender = senderTo(service.address);
  const documents = [await documentFor('x-service-token'), await documentFor('x-vault-token')];
  judge = fieldJudge(documents.flat());
});
afterAll(() => {
  sender.close();
  const counts = [...answered].sort(([one], [other]) => one - other);
  const sent = counts.reduce((sum, [, count]) => sum + count, 0);
  console.info(`${sent} bad requests were sent; ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`);
});

/** Without a worker, a check, a plan and a list of foreign objects are unavailable. */
const mayFail = /\/(check|plan|foreign)(\?|$)/;
const oauth = /^identity\/oidc\/provider\/[^/]*\/(authorize|token|userinfo)\b/;

type Bad = Omit<Sent, 'headers'> & {
  readonly what: string;
  readonly mediaType?: string;
  readonly of: Described;
  /** The field with the mistake. */
  readonly field?: string;
};

function badRequests(of: Described): readonly Bad[] {
  const { method } = of;
  const path = filled(of.path);
  const brings = method === 'POST' || method === 'PATCH';
  const own = brings ? { body: '{}' } : {};
  return [
    ...badPaths(of).map((bad) => ({ of, method, path: bad, what: `path ${bad.slice(0, 60)}`, ...own })),
    ...badQueries(of).map(({ text, ...one }) => ({
      of,
      method,
      path: path + text,
      what: text.slice(0, 60),
      ...one,
      ...own,
    })),
    ...(brings ? badBodies(of, known) : []).map(({ text, mediaType, ...one }) => ({
      of,
      method,
      path,
      ...one,
      body: text,
      ...(mediaType === undefined ? {} : { mediaType }),
    })),
  ];
}

const typeOf = ({ method, mediaType }: Bad): Readonly<Record<string, string>> => {
  const type = mediaType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
  return type === '' ? {} : { 'content-type': type };
};

/** Sends the requests a few at a time and returns the problems with the answers. */
async function problemsOf(
  to: Sender,
  bad: readonly Bad[],
  headers: Readonly<Record<string, string>>,
  may: readonly number[] = [],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const left = bad[Symbol.iterator]();
  const lane = async () => {
    for (const one of left) {
      const got = await to.send({ ...one, headers: { ...typeOf(one), ...headers } });
      answered.set(got.status, (answered.get(got.status) ?? 0) + 1);
      const isOauth = oauth.test(one.path);
      const allowed = mayFail.test(one.path) ? [...may, 503] : may;
      const problem =
        problemWith(got, allowed, isOauth ? 'oauth' : 'errors') ?? (isOauth ? undefined : judge(got, one));
      if (problem !== undefined) problems.push(`${one.method} ${one.path.slice(0, 80)}, ${one.what}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  return problems;
}

/** Reverts settings that a request made, so that they do not affect the requests that follow. */
async function restore(): Promise<void> {
  for (const kind of ['rate-limit', 'lease-count']) await service.ask('DELETE', `sys/quotas/${kind}/x`);
  await service.ask('DELETE', 'sys/config/cors');
}

const unexpectedErrors = ({ logged }: OpenService) =>
  logged.filter((line) => JSON.stringify(line).includes('unexpectedly'));

describe.each(callers)('$who', ({ header, token, every }) => {
  test.each(groups)('gets a proper answer to everything below %s', async (group) => {
    const operations = (await documentFor(header)).filter((one) => groupOf(one) === group);
    expect(operations.length).toBeGreaterThan(10);
    const problems: string[] = [];
    for (const operation of operations.filter((one) => !ending.test(shown(one)))) {
      // Each valid check waits for a worker that does not run.
      const share = mayFail.test(operation.path) ? 10 * every : every;
      const bad = badRequests(operation).filter((_one, at) => at % share === 0);
      problems.push(...(await problemsOf(sender, bad, { [header]: token() })));
      await restore();
      expect((await service.ask('GET', 'sys/health')).status, `after ${shown(operation)}`).toBe(200);
      const own = await service.ask('GET', 'auth/token/lookup-self', undefined, {
        headers: { 'x-service-token': few },
      });
      expect(own.status, `after ${shown(operation)}`).toBe(200);
    }
    expect(problems).toEqual([]);
    expect(unexpectedErrors(service)).toEqual([]);
  });
});

describe('an operation that ends its caller or the service', () => {
  test('a token that revokes itself', async () => {
    const operation = (await documentFor('x-service-token')).find((one) => one.path === 'auth/token/revoke-self');
    if (operation === undefined) throw new Error('the operation does not exist');
    const problems: string[] = [];
    for (const bad of badRequests(operation)) {
      const headers = { 'x-service-token': await newToken(['default']) };
      problems.push(...(await problemsOf(sender, [bad], headers)));
    }
    expect(problems).toEqual([]);
  });

  test('a process that is sealed says so to everything', async () => {
    const operations = await documentFor('x-service-token');
    const to = senderTo(sealed.address);
    const headers = { 'x-service-token': sealed.rootToken };
    const seal = operations.filter(({ path }) => path === 'sys/seal').flatMap(badRequests);
    expect(await problemsOf(to, seal, headers, [503])).toEqual([]);
    await sealed.ask('POST', 'sys/seal');
    expect((await sealed.ask('GET', 'sys/health')).status).toBe(503);
    const bad = operations
      .filter(({ path }) => path !== 'sys/health')
      .flatMap((operation) => badRequests(operation).filter((_one, at) => at % 10 === 0));
    expect(await problemsOf(to, bad, headers, [503])).toEqual([]);
    expect((await sealed.ask('GET', 'sys/seal-status')).body).toMatchObject({ sealed: true });
    expect(unexpectedErrors(sealed)).toEqual([]);
    to.close();
  });
});

test.each([
  { status: 500, text: '{"errors":["internal error"]}' },
  { status: 400, text: '' },
  { status: 400, text: '<html>' },
  { status: 404, text: '{"error":"none"}' },
  { status: 400, text: '{"errors":[{}]}' },
])('an answer such as $status $text would be detected', (got) => {
  expect(problemWith(got)).toBeDefined();
});

test.each([
  { text: '{"errors":["the name is too long"]}' },
  { text: '{"errors":["x"],"problems":[{"field":"other","message":"x"}]}' },
  { text: '{"errors":["x"],"problems":{}}' },
])('a refusal of a field such as $text would be detected', ({ text }) => {
  const mistake = { path: 'a', body: '{"name":1}', field: 'name' };
  expect(problemWithFields({ status: 400, text }, mistake, new Set(['name']))).toBeDefined();
});
