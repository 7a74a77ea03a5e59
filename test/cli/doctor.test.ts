import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { driftFindings, pauseFindings, workerFindings } from '#client/doctor/standing.ts';
import { overviewFindings } from '#client/doctor/sync.ts';
import { runLine } from '../support/cli/line.ts';
import { eventually, serviceOf } from '../support/flow/open-service.ts';
import { shamirService } from '../support/flow/shamir.ts';
import { receiver } from '../support/servers/receiver.ts';

const service = serviceOf(['cloud-a-sm']);
const sealed = shamirService();
const uninitialised = shamirService({}, 'not-yet');

interface Found {
  readonly outcome: string;
  readonly finding: string;
  readonly remedy: string;
}

/** The findings by check. */
async function examined(address: string, token?: string) {
  const { code, output } = await runLine(['doctor', '-o', 'ndjson'], {
    address,
    ...(token === undefined ? {} : { token }),
  });
  const rows = output.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row)]));
  const found: Readonly<Record<string, Found>> = Object.fromEntries(rows.map(({ check, ...one }) => [check, one]));
  return { code, found };
}

test('a fresh service passes, except that it is used with a root token, is not audited and another release', async () => {
  const { code, found } = await examined(service.address, service.rootToken);
  expect(code).toBe(3);
  expect(Object.entries(found).map(([check, { outcome }]) => [check, outcome])).toEqual([
    ['server', 'passed'],
    ['seal', 'passed'],
    ['version', 'warning'],
    ['clock', 'passed'],
    ['token', 'passed'],
    ['root token', 'warning'],
    ['audit', 'warning'],
    ['sync', 'passed'],
    ['queue', 'passed'],
    ['failures', 'passed'],
    ['rules', 'passed'],
    ['webhooks', 'passed'],
  ]);
});

test('a server that is away, not initialised or sealed is told, with the command that helps', async () => {
  const away = await examined('http://127.0.0.1:9');
  expect(away).toMatchObject({ code: 3, found: { server: { outcome: 'failed' } } });
  const fresh = await examined(uninitialised.addresses[0] ?? '');
  expect(fresh.found['seal']).toMatchObject({ finding: 'not initialised', remedy: 'keyferry init' });
  await sealed.restart();
  const closed = await examined(sealed.addresses[0] ?? '');
  expect(closed.found['seal']).toMatchObject({ finding: 'sealed', remedy: 'keyferry unseal' });
});

test('what the token may not read is not checked, and a token that ends soon or is unknown is told', async () => {
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '10m' });
  const { found } = await examined(service.address, (body['auth'] as { client_token: string }).client_token);
  expect(found['token']).toMatchObject({ outcome: 'warning', remedy: 'keyferry tokens renew' });
  expect(found['audit']).toMatchObject({ outcome: 'not checked' });
  expect(found['sync']).toMatchObject({ outcome: 'not checked' });
  const unknown = await examined(service.address, 'hvs.unknown-token');
  expect(unknown.found['token']).toMatchObject({ outcome: 'failed', remedy: 'keyferry login' });
  expect(unknown.found['sync']).toBeUndefined();
});

test('failed syncs and a disabled sync are told', async () => {
  const [destination, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: 'b' })];
  service.fake('cloud-a-sm').fail({ kind: 'denied' });
  await service.set('cloud-a-sm', destination, secret);
  const at = { address: service.address, token: service.rootToken };
  await runLine(['wait', `secret/${secret}`], at);
  await runLine(['pause', '--yes'], at);
  let found: Awaited<ReturnType<typeof examined>>['found'] = {};
  // The numbers of the overview may be a second old.
  await eventually(
    async () => {
      ({ found } = await examined(service.address, service.rootToken));
      return found['failures']?.outcome === 'failed' && found['sync']?.outcome === 'warning';
    },
    () => JSON.stringify(found),
  );
  await runLine(['resume'], at);
  expect(found['failures']).toMatchObject({
    finding: '1 CLIENT_SIDE_ERROR',
    remedy: 'keyferry records list --status CLIENT_SIDE_ERROR',
  });
  expect(found['sync']).toMatchObject({ outcome: 'warning', remedy: 'keyferry resume' });
});

test('suspended rules and messages that could not be delivered are told', async () => {
  const destination = await service.destination('cloud-a-sm');
  const rule = { mount: 'secret', prefix: 'never/', destinations: [`cloud-a-sm/${destination}`] };
  await service.ask('POST', 'sys/sync/rules/team', rule);
  await sql`update sync_rules set state = 'suspended', reason = 'its owner lost a right'`.execute(service.store.db);
  const { url } = await receiver();
  await service.api.write('sys/sync/notifications/on-call', { url });
  await sql`insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at, state)
            select gen_random_uuid(), id, n, 'queue.filling', '{}', now(), 'dead' from sync_notifications, generate_series(1, 2) n`.execute(
    service.store.db,
  );
  const { code, found } = await examined(service.address, service.rootToken);
  expect(code).toBe(3);
  expect(found['rules']).toEqual({
    outcome: 'warning',
    finding: 'team is suspended: its owner lost a right',
    remedy: 'keyferry rules get team',
  });
  expect(found['webhooks']).toEqual({
    outcome: 'warning',
    finding: 'on-call has 2 messages that could not be delivered',
    remedy: 'keyferry notifications deliveries on-call --state dead',
  });
});

const place = (name: string, more: object) => ({
  type: 'cloud-a-sm',
  name,
  counts: { PENDING: 3, SYNCED: 1 },
  ...more,
});

test.each([
  [0, {}, 1],
  [1, {}, 0],
  // A pause is a finding of its own.
  [0, { disabled: true }, 0],
  [0, { counts: { SYNCED: 4 } }, 0],
])('%i workers at %j are %i findings', (seen, more, findings) => {
  const workers = [{ type: 'cloud-a-sm', seen, last_seen_at: '2030-01-31T08:00:00.000Z' }];
  expect(workerFindings({ workers, destinations: [place('one', more)] })).toHaveLength(findings);
});

test('what a worker of the type should do, which destinations are paused, and drift are told with a command', () => {
  const workers = [{ type: 'cloud-a-sm', seen: 0, last_seen_at: null }];
  expect(workerFindings({ workers, destinations: [place('one', {}), place('two', {})] })).toEqual([
    {
      check: 'workers',
      outcome: 'failed',
      finding: 'cloud-a-sm: 6 syncs wait, and no worker of this type was seen',
      remedy: 'start a process sync-cloud-a-sm',
    },
  ]);
  const until = { disabled: true, disabled_until: '2030-01-31T08:00:00.000Z' };
  const paused = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => place(name, until));
  expect(pauseFindings({ destinations: paused })).toMatchObject([
    {
      finding: expect.stringMatching(/^paused: cloud-a-sm\/a until 2030-01-31T08:00:00.000Z, .* and 1 more$/),
      remedy: 'keyferry resume cloud-a-sm/a',
    },
  ]);
  expect(driftFindings({ drifted: 2 })).toMatchObject([{ remedy: 'keyferry records list --drift any' }]);
  for (const findings of [workerFindings, pauseFindings, driftFindings]) expect(findings({ drifted: 0 })).toEqual([]);
});

test('very many open circuits and failed purges are counted, and five of each are named', () => {
  const named = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const sick = named.map((name) => place(name, { circuit: 'open', purge_error: 'denied' }));
  const found = overviewFindings({ destinations: sick, counts: {} });
  for (const check of ['circuit', 'purge']) {
    const findings = found.filter((one) => one.check === check);
    expect(findings).toHaveLength(6);
    expect(findings[0]).toMatchObject({ outcome: 'failed', remedy: 'keyferry destinations check cloud-a-sm/a' });
    expect(findings[5]).toMatchObject({
      outcome: 'failed',
      finding: expect.stringContaining('2 more'),
      remedy: 'keyferry status -o json',
    });
  }
});
