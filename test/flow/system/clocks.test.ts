import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApi, openSweeper, type Sweeper } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { type Answer, type AskOptions, ask } from '../../support/flow/calls/ask.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { patience } from '../../support/measures/patience.ts';

// The clocks of processes differ by hours. Everything expires by the clock of the store, whichever process created or reads it.
const service = serviceOf(['cloud-a-sm'], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0', KEYFERRY_SYNC_WAIT_MS: '0' });

const hours = { behind: -7, ahead: 5 } as const;
type Which = keyof typeof hours;
const everyWay = [
  ['behind', 'ahead'],
  ['ahead', 'behind'],
] as const;

interface Process {
  readonly address: string;
  readonly sweeper: Sweeper;
}
const processes = new Map<Which, Process>();

beforeAll(async () => {
  const ends: (() => Promise<void>)[] = [];
  for (const which of ['behind', 'ahead'] as const) {
    const clock = { now: () => new Date(Date.now() + hours[which] * 3_600_000) };
    const parts = { config: service.config, log: silentLog, clock };
    const api = await openApi({ ...parts, metrics: openMetrics({ process: false }) });
    const sweeper = await openSweeper({ ...parts, metrics: openMetrics({ process: false }) });
    const { port } = await api.listen(0, '127.0.0.1');
    processes.set(which, { address: `http://127.0.0.1:${port}`, sweeper });
    ends.push(
      () => sweeper.close(),
      () => api.close(),
    );
  }
  return () => Promise.all(ends.map((end) => end()));
});

const processOf = (which: Which): Process => {
  const found = processes.get(which);
  if (found === undefined) throw new Error(`no process has a clock that is ${which}`);
  return found;
};
const at = (which: Which, method: string, path: string, body?: object, options: AskOptions = {}): Promise<Answer> =>
  ask({ address: processOf(which).address, token: service.rootToken, method, path, body, ...options });
const sweepAll = async () => {
  for (const { sweeper } of processes.values()) await sweeper.run();
};
const batch = { type: 'batch', policies: ['default'] };
const withToken = (token: string) => ({ headers: { 'x-service-token': token } });
const authOf = ({ body }: Answer) => Object(body['auth']);
/** Ages the rows of a table. */
const age = (table: string, column: string, seconds: number) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})`.execute(
    service.store.db,
  );
const near = (text: unknown, seconds: number) =>
  expect(Math.abs(Date.parse(String(text)) - Date.now() - seconds * 1_000)).toBeLessThan(patience.conditionMs);

describe.each(everyWay)('created where the clock is %s, used where it is %s', (maker, user) => {
  test('a token is valid for its TTL, and a renewal counts from the time of the renewal', async () => {
    const { client_token: token } = authOf(await at(maker, 'POST', 'auth/token/create', { ttl: '10m' }));
    await sweepAll();
    const { data } = await at(user, 'GET', 'auth/token/lookup-self', undefined, withToken(token));
    expect(data['ttl']).toBeGreaterThan(500);
    expect(data['ttl']).toBeLessThanOrEqual(600);
    near(data['expire_time'], 600);
    near(data['issue_time'], 0);
    const renewed = authOf(await at(user, 'POST', 'auth/token/renew-self', { increment: '20m' }, withToken(token)));
    expect(renewed.lease_duration).toBe(1_200);
    const hash = service.store.barrier.mac('token', token);
    await sql`update tokens set expire_at = now() where hash = ${hash}`.execute(service.store.db);
    for (const which of [maker, user])
      expect((await at(which, 'GET', 'auth/token/lookup-self', undefined, withToken(token))).status).toBe(403);
  });

  test('periods of roles and explicit maxima keep their length', async () => {
    await at(maker, 'POST', 'auth/token/roles/periodic', { token_period: '15m', token_explicit_max_ttl: '30m' });
    const { client_token: token } = authOf(await at(maker, 'POST', 'auth/token/create/periodic'));
    const renewed = authOf(await at(user, 'POST', 'auth/token/renew-self', {}, withToken(token)));
    expect(renewed.lease_duration).toBe(900);
    near((await at(user, 'GET', 'auth/token/lookup-self', undefined, withToken(token))).data['expire_time'], 900);
  });

  test('a batch token is valid for its TTL and no longer', async () => {
    const made = authOf(await at(maker, 'POST', 'auth/token/create', { ...batch, ttl: '10m' }));
    const { data } = await at(user, 'GET', 'auth/token/lookup-self', undefined, withToken(made.client_token));
    near(data['expire_time'], 600);
    const brief = authOf(await at(maker, 'POST', 'auth/token/create', { ...batch, ttl: '1s' })).client_token;
    for (const which of [maker, user])
      await eventually(
        async () => (await at(which, 'GET', 'auth/token/lookup-self', undefined, withToken(brief))).status === 403,
      );
  });

  test('a wrapped reply is valid for its TTL', async () => {
    const options = { headers: { 'x-vault-wrap-ttl': '10m' } };
    const { body } = await at(maker, 'POST', 'sys/wrapping/wrap', { value: 'kept' }, options);
    const { token, creation_time } = Object(body['wrap_info']);
    near(creation_time, 0);
    await sweepAll();
    const { data } = await at(user, 'POST', 'sys/wrapping/lookup', { token });
    expect(data['creation_time']).toBe(creation_time);
    expect((await at(user, 'POST', 'sys/wrapping/unwrap', { token })).data).toEqual({ value: 'kept' });
  });

  test('leases below a path are revoked, including those created where the clock is ahead', async () => {
    await at(maker, 'POST', 'auth/token/roles/leased', {});
    const made = authOf(await at(maker, 'POST', 'auth/token/create/leased', { ttl: '10m' }));
    const { data } = await at(user, 'LIST', 'sys/leases/lookup/auth/token/create/leased');
    expect(data['keys']).toHaveLength(1);
    const path = 'sys/leases/revoke-prefix/auth/token/create/leased';
    expect((await at(user, 'POST', path)).status).toBe(204);
    const own = withToken(made.client_token);
    expect((await at(user, 'GET', 'auth/token/lookup-self', undefined, own)).status).toBe(403);
  });

  test('a version of a secret deletes itself after its time, and can be deleted and undeleted now', async () => {
    const path = `timed-${maker}`;
    await at(maker, 'POST', `secret/metadata/${path}`, { delete_version_after: '10m' });
    const { data: written } = await at(maker, 'POST', `secret/data/${path}`, { data: { n: 1 } });
    near(written['created_time'], 0);
    near(written['deletion_time'], 600);
    await sweepAll();
    expect((await at(user, 'GET', `secret/data/${path}`)).status).toBe(200);
    await at(maker, 'DELETE', `secret/data/${path}`);
    expect((await at(user, 'GET', `secret/data/${path}`)).status).toBe(404);
    await at(user, 'POST', `secret/undelete/${path}`, { versions: [1] });
    expect((await at(maker, 'GET', `secret/data/${path}`)).status).toBe(200);
    expect((await at(maker, 'PATCH', `secret/data/${path}`, { data: { n: 2 } })).status).toBe(200);
    await age('kv_versions', 'deletion_time', 600);
    for (const which of [maker, user]) expect((await at(which, 'GET', `secret/data/${path}`)).status).toBe(404);
  });

  test('a secret id is valid for its TTL', async () => {
    await at(maker, 'POST', `sys/auth/machines-${maker}`, { type: 'approle' });
    const role = `auth/machines-${maker}/role/app`;
    await at(maker, 'POST', role, { secret_id_ttl: '10m', role_id: `app-${maker}` });
    const { secret_id } = (await at(maker, 'POST', `${role}/secret-id`)).data;
    await sweepAll();
    const login = () => at(user, 'POST', `auth/machines-${maker}/login`, { role_id: `app-${maker}`, secret_id });
    expect((await login()).status).toBe(200);
    await age('approle_secret_ids', 'expire_at', 600);
    expect((await login()).status).toBe(400);
  });

  test('failed logins lock a user out everywhere until the lockout ends', async () => {
    await at(maker, 'POST', `sys/auth/people-${maker}`, { type: 'userpass' });
    await at(maker, 'POST', `auth/people-${maker}/users/ann`, { password: 'right' });
    const login = (which: Which, password: string) => at(which, 'POST', `auth/people-${maker}/login/ann`, { password });
    for (let n = 0; n < 5; n += 1) await login(maker, 'wrong');
    await sweepAll();
    expect((await login(user, 'right')).status).toBe(403);
    await age('login_failures', 'locked_until', 900);
    expect((await login(user, 'right')).status).toBe(200);
  });

  test('an address for a state is valid for its hours', async () => {
    const api = (method: string, path: string, body?: object) => workspaces(maker, method, path, body);
    await api('POST', '/organizations', {
      data: { type: 'organizations', attributes: { name: `org-${maker}`, email: 'a@example.com' } },
    });
    const made = await api('POST', `/organizations/org-${maker}/workspaces`, {
      data: { type: 'workspaces', attributes: { name: 'w' } },
    });
    const id = made.body.data.id;
    await api('POST', `/workspaces/${id}/actions/lock`, {});
    const state = JSON.stringify({ version: 4, serial: 1, lineage: 'l', terraform_version: '1.9.0', resources: [] });
    const md5 = createHash('md5').update(state).digest('hex');
    const version = await api('POST', `/workspaces/${id}/state-versions`, {
      data: { type: 'state-versions', attributes: { serial: 1, lineage: 'l', md5 } },
    });
    await sweepAll();
    const upload = new URL(version.body.data.attributes['hosted-state-upload-url']);
    const [, expiry] = /\.(\d{10})\./.exec(upload.pathname) ?? [];
    const hoursLeft = (Number(expiry) - Date.now() / 1_000) / 3_600;
    expect(hoursLeft).toBeGreaterThan(24.9);
    expect(hoursLeft).toBeLessThan(26.1);
    const put = await fetch(`${processOf(user).address}${upload.pathname}`, { method: 'PUT', body: state });
    expect(put.status, await put.text()).toBe(200);
    const current = await workspaces(user, 'GET', `/workspaces/${id}/current-state-version`);
    const download = new URL(current.body.data.attributes['hosted-state-download-url']);
    const got = await fetch(`${processOf(maker).address}${download.pathname}`);
    expect(await got.text()).toBe(state);
  });

  test('a token of the workspace service expires at the requested time', async () => {
    const expired = (minutes: number) => ({
      data: {
        type: 'authentication-tokens',
        attributes: { 'expired-at': new Date(Date.now() + minutes * 60_000).toISOString() },
      },
    });
    const path = `/organizations/org-${maker}/authentication-token`;
    expect((await workspaces(maker, 'POST', path, expired(-10))).status).toBe(422);
    const { status, body } = await workspaces(maker, 'POST', path, expired(10));
    expect(status).toBe(201);
    await sweepAll();
    const own = await workspaces(user, 'GET', `/organizations/org-${maker}`, undefined, body.data.attributes.token);
    expect(own.status).toBe(200);
  });
});

async function workspaces(which: Which, method: string, path: string, body?: object, token = service.rootToken) {
  const answer = await fetch(`${processOf(which).address}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

test('no table has a time from the clock of a process', async () => {
  for (const which of ['behind', 'ahead'] as const) {
    await at(which, 'POST', 'sys/mounts/moved', { type: 'kv' });
    await at(which, 'POST', 'sys/remount', { from: 'moved', to: `moved-${which}` });
    await at(which, 'POST', `moved-${which}/one`, { a: 1 });
    await at(which, 'POST', `sys/policies/acl/${which}`, { policy: 'path "a" { policy = "read" }' });
    await at(which, 'POST', `sys/policies/password/${which}`, {
      policy: 'length = 20\nrule "charset" { charset = "abc" }',
    });
    await at(which, 'POST', `identity/entity`, { name: which });
    await at(which, 'POST', `sys/namespaces/${which}`);
    await at(which, 'POST', 'sys/auth/jwt', { type: 'jwt' });
    await at(which, 'POST', 'auth/jwt/config', { jwks_url: 'https://127.0.0.1:9/keys' });
    await at(which, 'POST', `auth/jwt/role/${which}`, { role_type: 'jwt', user_claim: 'sub', bound_audiences: 'a' });
    await at(which, 'POST', 'sys/generate-root/attempt', {});
    const destination = `sys/sync/destinations/cloud-a-sm/${which}`;
    await at(which, 'POST', destination, service.fake('cloud-a-sm').destination);
    await at(which, 'POST', 'secret/data/synced', { data: { which } });
    await at(which, 'POST', `${destination}/associations/set`, { mount: 'secret', secret_name: 'synced' });
  }
  await sweepAll();
  await service.untilQuiet();
  expect(await timesOfProcesses()).toEqual([]);
});

/** Times in any column, including JSON documents, within an hour of the clock of one of the processes. */
async function timesOfProcesses(): Promise<readonly string[]> {
  const { db } = service.store;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(
      db,
    );
    for (const { row } of rows)
      for (const [text] of row.matchAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g))
        for (const skew of Object.values(hours))
          if (Math.abs(Date.parse(text) - Date.now() - skew * 3_600_000) < 3_600_000) found.push(`${name}: ${text}`);
  }
  return found;
}
