import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres } from '#infra/local/postgres/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { openStore } from '#store/open.ts';
import { contentOf, schemaOf } from '../../store/schema.ts';
import { storeOptions } from '../../store/stores.ts';
import { runCommand } from '../../support/flow/backup/backup.ts';
import { type Answer, ask } from '../../support/flow/calls/ask.ts';
import { eventually, everyType, serviceOf } from '../../support/flow/open-service.ts';
import { emptyDatabase } from '../../support/services.ts';
import { groundOn } from '../../workspaces/support/ground.ts';
import { type Copy, openCopy } from './copy.ts';
import { machineLogin } from './fill/auth.ts';
import { fillings } from './fill/index.ts';
import { keptIn, type World } from './fill/world.ts';

// A store with rows in every table is backed up, and restored on another PostgreSQL.
const service = serviceOf(everyType, {
  KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0',
  KEYFERRY_SMTP_URL: 'smtp://127.0.0.1:1',
  KEYFERRY_SMTP_FROM: 'keyferry@a.test',
});
let world: World;
let elsewhere: LocalServer;
let copy: Copy;
let backup: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-every-table-'));
  backup = join(folder, 'store.backup');
  world = { service, ground: groundOn(service), folder, kept: new Map() };
  elsewhere = await startPostgres({ dataDir: join(folder, 'postgres'), volatile: true });
  for (const { fill } of fillings) await fill(world);
});
afterAll(async () => {
  await copy?.close();
  await elsewhere.stop();
  await rm(world.folder, { recursive: true, force: true });
});

const inCopy = (method: string, path: string, body?: unknown, token = service.rootToken): Promise<Answer> =>
  ask({ address: copy.address, token, method, path, body });
const withoutToken = (method: string, path: string, body: object): Promise<Answer> =>
  ask({ address: copy.address, token: '', method, path, body, headers: { 'x-service-token': undefined } });
const kept = (name: string) => keptIn(world, name);

async function mustRun(...command: Parameters<typeof runCommand>): Promise<void> {
  const { code, err } = await runCommand(...command);
  if (code !== 0) throw new Error(err);
}

const attemptsMax = 5;

/** The content of the store, and a backup during which it did not change. */
async function backedUp() {
  const content = () => contentOf(service.config.DATABASE_URL ?? '');
  let changed: readonly string[] = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const before = await content();
    await rm(backup, { force: true });
    await mustRun('backup', service.config.DATABASE_URL, '--out', backup);
    const after = await content();
    changed = Object.keys(after).filter((table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]));
    if (changed.length === 0) return after;
  }
  throw new Error(`these tables kept changing: ${changed.join()}`);
}

test('no table of the schema is empty, and each is filled by the list', async () => {
  const content = await contentOf(service.config.DATABASE_URL ?? '');
  const empty = Object.keys(content).filter((table) => content[table]?.length === 0);
  expect(empty, 'add their filling: test/flow/backup/fill/index.ts').toEqual([]);
  expect(fillings.flatMap(({ tables }) => tables).sort()).toEqual(Object.keys(content).sort());
});

test('a used store has the schema of a new one', async () => {
  const fresh = await emptyDatabase();
  await (await openStore(storeOptions(fresh))).close();
  expect(await schemaOf(service.config.DATABASE_URL ?? '')).toEqual(await schemaOf(fresh));
});

test('every row of every table is restored, in the same schema', async () => {
  const content = await backedUp();
  await mustRun('restore', elsewhere.url, '--in', backup);
  const restored = await contentOf(elsewhere.url);
  expect(Object.keys(restored)).toEqual(Object.keys(content));
  const { lineage, ...others } = content;
  for (const [table, rows] of Object.entries(others)) expect(restored[table], table).toEqual(rows);
  // The restored row has the lineage of the new database: otherwise the sync would take the restore for a failover.
  expect(restored['lineage']).toHaveLength(1);
  expect(restored['lineage']).not.toEqual(lineage);
  expect(await schemaOf(elsewhere.url)).toEqual(await schemaOf(service.config.DATABASE_URL ?? ''));
});

describe('the restored service', () => {
  beforeAll(async () => {
    copy = await openCopy(service, elsewhere.url, everyType);
  });

  test.each(['', 'team/', 'team/inner/'])('reads the secrets of the namespace "%s"', async (namespace) => {
    const { data } = await inCopy('GET', `${namespace}same/data/app`);
    expect(data).toMatchObject({ data: { where: `${namespace}root`, version: 2 }, metadata: { version: 2 } });
  });

  test('logs users and machines in and accepts their earlier tokens', async () => {
    const body = { password: 'a long password' };
    const person = await withoutToken('POST', 'auth/people/login/ada', body);
    const machine = await withoutToken('POST', 'auth/machines/login', machineLogin(world));
    for (const { status, body } of [person, machine]) {
      expect(status).toBe(200);
      expect(Object(body['auth'])).toMatchObject({ policies: ['default', 'reads'] });
    }
    expect(Object(person.body['auth']).entity_id).toBe(kept('entity of ada'));
    const { data } = await inCopy('GET', 'same/data/app', undefined, kept('token of ada'));
    expect(data).toMatchObject({ data: { version: 2 } });
    expect((await inCopy('GET', 'cubbyhole/notes', undefined, kept('token with a lease'))).data).toEqual({
      note: 'mine',
    });
  });

  test('continues unfinished work: a login that waits for its code, a wrapped reply, a root token', async () => {
    const validated = await withoutToken('PUT', 'sys/mfa/validate', {
      mfa_request_id: kept('pending login'),
      mfa_payload: { [kept('pending login method')]: [kept('pending login code')] },
    });
    expect(validated.status).toBe(200);
    const unwrapped = await inCopy('POST', 'sys/wrapping/unwrap', {}, kept('wrapping token'));
    expect(unwrapped.data).toEqual({ inside: 'value' });
    expect((await inCopy('GET', 'sys/generate-root/attempt')).body).toMatchObject({ started: true });
  });

  test('publishes the same keys of identity tokens, and signs with them', async () => {
    const keys = async (address: string): Promise<JSONWebKeySet> =>
      Object(await (await fetch(`${address}/v1/identity/oidc/.well-known/keys`)).json());
    const published = await keys(copy.address);
    expect(published.keys.length).toBeGreaterThan(2);
    expect(published).toEqual(await keys(service.address));
    await inCopy('PUT', 'sys/policies/acl/services', {
      policy: 'path "identity/oidc/token/services" { capabilities = ["read"] }',
    });
    await inCopy('POST', 'auth/token/roles/services', { allowed_entity_aliases: '*', orphan: true });
    const made = await inCopy('POST', 'auth/token/create/services', { entity_alias: 'ada', policies: ['services'] });
    const issued = await inCopy(
      'GET',
      'identity/oidc/token/services',
      undefined,
      Object(made.body['auth']).client_token,
    );
    const { payload } = await jwtVerify(String(issued.data['token']), createLocalJWKSet(published));
    expect(payload).toMatchObject({ aud: 'app', iss: 'https://id.example.com/v1/identity/oidc' });
  });

  test('writes to its audit devices and enforces its quotas', async () => {
    const { data } = await inCopy('GET', 'sys/quotas/rate-limit/slow');
    expect(data).toMatchObject({ rate: 1_000 });
    await inCopy('GET', 'same/data/audited');
    await eventually(async () => (await readFile(kept('audit file'), 'utf8')).includes('same/data/audited'));
  });

  test('has the states, variables and runs of its workspaces', async () => {
    const at = (path: string) => `${copy.address}/api/v2${path}`;
    const call = (path: string) => world.ground.call('GET', at(path), undefined, kept('user'));
    const workspace = `/workspaces/${kept('workspace')}`;
    const there = await call(`${workspace}/current-state-version`);
    expect(there.item.attributes).toMatchObject({ serial: 1, 'resources-processed': true });
    const url = String(there.item.attributes['hosted-state-download-url']);
    const downloaded = await fetch(url.replace(/^https?:\/\/[^/]+/, copy.address), {
      headers: { authorization: `Bearer ${kept('user')}` },
    });
    expect(await downloaded.json()).toMatchObject({ lineage: 'l-1', outputs: { plain: { value: 'shown' } } });
    expect((await call(`${workspace}/vars`)).items[0]?.attributes).toMatchObject({ value: 'value of OF_WORKSPACE' });
    expect((await call(`/runs/${kept('run')}`)).item.attributes).toMatchObject({ message: 'm' });
  });

  test.each(everyType)('pushes a change to %s, and nothing before it', async (type) => {
    const [destination, secret] = [kept(`destination of ${type}`), kept(`secret of ${type}`)];
    const calls = service.calls(type);
    for (let round = 0; round < 3; round += 1) await copy.sweeper.run();
    expect(service.calls(type)).toBe(calls);
    const changed = `changed for ${type}`;
    await inCopy('POST', `secret/data/${secret}`, { data: { [type.replaceAll('-', '_')]: changed } });
    const state = async () =>
      JSON.stringify((await inCopy('GET', `sys/sync/destinations/${type}/${destination}/associations`)).data);
    await eventually(
      () => JSON.stringify([...service.fake(type).objects().values()]).includes(changed),
      () => changed,
    );
    await eventually(async () => /SYNCED/.test(await state()) && !/PENDING|UNSYNCED|ERROR/.test(await state()));
  });
});
