import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { runLine } from '../support/cli/line.ts';
import { serviceOf } from '../support/flow/open-service.ts';

const service = serviceOf([]);

beforeAll(async () => {
  await sql`insert into sync_sample_slots
            select to_timestamp(floor(extract(epoch from now()) / 60) * 60 - n * 60), 0, 0 from generate_series(1, 30) n`.execute(
    service.store.db,
  );
  await sql`insert into sync_samples
            select 'root', slot, 'cloud-a-sm', 'a', 4, 9, 2, 1, '{"name": 1}' from sync_sample_slots order by slot limit 3`.execute(
    service.store.db,
  );
});

const status = (...more: readonly string[]) =>
  runLine(['status', ...more], { address: service.address, token: service.rootToken });

test('the status has the numbers of the last hour, plain where there is no terminal', async () => {
  const { code, output } = await status();
  expect(code).toBe(0);
  expect(output).toMatch(/^sync\.last_hour\.pending {2,}at most 4$/m);
  expect(output).toMatch(/^sync\.last_hour\.done {2,}6 in all$/m);
  expect(output).toMatch(/^sync\.last_hour\.failed {2,}3 in all$/m);
});

test('on a terminal they are lines of bars, with a gap where there is no sample', async () => {
  const { output } = await runLine(['status'], {
    address: service.address,
    token: service.rootToken,
    isTerminal: true,
  });
  expect(output).toMatch(/^sync\.last_hour\.pending {2,} *█{3}▁{27} +at most 4$/m);
});

test('in JSON they are points', async () => {
  const { output } = await status('-o', 'json');
  const { sync } = JSON.parse(output) as { sync: { last_hour: { step: number; points: readonly object[] } } };
  expect(sync.last_hour.step).toBe(60);
  expect(sync.last_hour.points).toHaveLength(30);
  expect(sync.last_hour.points[0]).toMatchObject({
    pending: 4,
    oldest_seconds: 9,
    done: 2,
    failed: 1,
    errors: { name: 1 },
  });
});

test('a token that may not read the overview is told so, and sees the rest', async () => {
  await service.api.write('sys/policies/acl/config', { policy: 'path "sys/sync/config" { capabilities = ["read"] }' });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['config'] });
  const { client_token: token } = body['auth'] as { readonly client_token: string };
  const { code, output } = await runLine(['status'], { address: service.address, token });
  expect([code, output.includes('queue_capacity'), output.includes('last_hour')]).toEqual([0, true, false]);
  expect(output).toMatch(/^sync\.overview {2,}the token may not read it$/m);
});
