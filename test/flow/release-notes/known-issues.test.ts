import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openApi } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { type Answer, ask } from '../../support/flow/calls/ask.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';

// docs/known-issues.md lists the known issues of earlier releases of the API family. These tests show for each feature that exists
// here that it does not have the issue.
const service = serviceOf([]);
const other = otherProcessOf(service);

interface Auth {
  readonly client_token: string;
  readonly accessor: string;
  readonly lease_duration: number;
}

const authOf = ({ body }: Answer): Auth => body['auth'] as Auth;
const create = async (body: object, path = 'auth/token/create') => authOf(await service.ask('POST', path, body));
const at = (address: string, token: string, method: string, path: string, body?: unknown) =>
  ask({ address, token, method, path, body });
const lookUp = (address: string, token: string) => at(address, token, 'GET', 'auth/token/lookup-self');

describe('a revocation at any process', () => {
  test.each([
    ['auth/token/revoke', ({ client_token }: Auth) => ({ token: client_token })],
    ['auth/token/revoke-accessor', ({ accessor }: Auth) => ({ accessor })],
    ['sys/leases/revoke', (_auth: Auth, lease: string) => ({ lease_id: lease })],
  ])('%s applies to all of them', async (path, body) => {
    for (const [first, second] of [
      [service.address, other.address],
      [other.address, service.address],
    ] as const) {
      const auth = await create({ policies: ['default'], ttl: '1h' });
      expect((await lookUp(second, auth.client_token)).status).toBe(200);
      const lease = await leaseOf(auth);
      const answer = await at(first, service.rootToken, 'PUT', path, body(auth, lease));
      expect(answer.status).toBe(204);
      expect((await lookUp(second, auth.client_token)).status).toBe(403);
      expect((await lookUp(first, auth.client_token)).status).toBe(403);
    }
  });
});

/** The only lease of this token: all earlier ones are revoked. */
async function leaseOf(auth: Auth): Promise<string> {
  const { data } = await service.ask('LIST', 'sys/leases/lookup/auth/token/create');
  for (const key of data['keys'] as readonly string[]) {
    const lease = `auth/token/create/${key}`;
    const found = await service.ask('PUT', 'sys/leases/lookup', { lease_id: lease });
    if (found.status === 200) return lease;
  }
  throw new Error(`no lease of ${auth.accessor}`);
}

test('a lease has its duration in the reply that creates it and wherever it is shown', async () => {
  const auth = await create({ policies: ['default'], ttl: '30m' });
  expect(auth.lease_duration).toBe(1_800);
  const batch = await create({ policies: ['default'], ttl: '20m', type: 'batch' });
  expect(batch.lease_duration).toBe(1_200);
  const renewed = authOf(await service.ask('POST', 'auth/token/renew', { token: auth.client_token, increment: '10m' }));
  expect(renewed.lease_duration).toBe(600);
  const { data } = await service.ask('POST', 'auth/token/lookup', { token: auth.client_token });
  expect(data).toMatchObject({ creation_ttl: 1_800 });
  expect(Number(data['ttl'])).toBeGreaterThan(0);
});

test('a token created against a role with a new alias is valid in every process, and is a lease', async () => {
  const role = service.name('role');
  const given = { allowed_entity_aliases: ['ci-*'], allowed_policies: ['default'], orphan: true };
  await service.ask('POST', `auth/token/roles/${role}`, given);
  for (const [made, used] of [
    [service.address, other.address],
    [other.address, service.address],
  ] as const) {
    const alias = service.name('ci-job');
    const body = { entity_alias: alias, policies: ['default'], ttl: '1h' };
    const answer = await at(made, service.rootToken, 'POST', `auth/token/create/${role}`, body);
    expect(answer.status).toBe(200);
    expect((await lookUp(used, authOf(answer).client_token)).status).toBe(200);
    const { data } = await service.ask('LIST', `sys/leases/lookup/auth/token/create/${role}`);
    expect((data['keys'] as readonly string[]).length).toBeGreaterThan(0);
  }
});

test('a missing or deleted policy causes no internal error for its holders', async () => {
  const policy = service.name('gone');
  await service.ask('PUT', `sys/policies/acl/${policy}`, {
    policy: 'path "secret/data/x" { capabilities = ["read"] }',
  });
  await service.ask('DELETE', `sys/policies/acl/${policy}`);
  const role = service.name('role');
  await service.ask('POST', `auth/token/roles/${role}`, { allowed_policies: [policy, 'never-there'] });
  for (const path of ['auth/token/create', `auth/token/create/${role}`]) {
    const { client_token } = await create({ policies: [policy, 'never-there'] }, path);
    expect((await lookUp(other.address, client_token)).status).toBe(200);
    expect((await at(other.address, client_token, 'GET', 'secret/data/x')).status).toBe(403);
  }
});

test('metrics are collected while tokens are created, revoked and expire', async () => {
  const churn = Array.from({ length: 40 }, async (_, number) => {
    const { client_token } = await create({ policies: ['default'], ttl: number % 2 === 0 ? '1s' : '1h' });
    await service.ask('POST', 'auth/token/revoke', { token: client_token });
  });
  const sweeps = Array.from({ length: 5 }, () => service.sweep());
  const gathered = Array.from({ length: 40 }, (_, number) =>
    ask({
      address: number % 2 === 0 ? service.address : other.address,
      token: service.rootToken,
      method: 'GET',
      path: 'sys/metrics',
    }),
  );
  const statuses = (await Promise.all(gathered)).map(({ status }) => status);
  await Promise.all([...churn, ...sweeps]);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a mount whose engine is no longer part of the release affects nothing else', async () => {
  await sql`insert into mounts (path, type, accessor, description, options, config, local, seal_wrap)
            values ('former/', 'app-id', 'app-id_0', '', 'null', '{}', false, false)`.execute(service.store.db);
  await sql`update revisions set revision = revision + 1 where name = 'mounts'`.execute(service.store.db);
  const app = { config: service.config, log: silentLog, metrics: openMetrics({ process: false }) };
  const started = await openApi(app);
  const { port } = await started.listen(0, '127.0.0.1');
  const address = `http://127.0.0.1:${port}`;
  const get = (path: string) => at(address, service.rootToken, 'GET', path);
  expect((await get('sys/health')).status).toBe(200);
  expect((await at(address, service.rootToken, 'POST', 'secret/data/x', { data: { a: '1' } })).status).toBe(200);
  expect((await get('sys/mounts')).data).toMatchObject({ 'former/': { type: 'app-id' } });
  expect((await get('former/x')).status).toBe(404);
  expect((await at(address, service.rootToken, 'DELETE', 'sys/mounts/former')).status).toBe(204);
  expect(Object.keys((await get('sys/mounts')).data)).not.toContain('former/');
  await started.close();
});

test('the former name of ttl is still accepted', async () => {
  expect((await create({ policies: ['default'], lease: '25m' })).lease_duration).toBe(1_500);
  expect((await create({ policies: ['default'], lease: '25m', ttl: '5m' })).lease_duration).toBe(300);
});
