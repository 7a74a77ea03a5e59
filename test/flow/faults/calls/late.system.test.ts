import { expect, test } from 'vitest';
import { startHoldingProxy } from '#test/contract/network/holding-proxy.ts';
import { associationsOf } from '#test/support/flow/associations.ts';
import { groundOf, type, until } from '#test/support/flow/ground.ts';
import { ending } from '#test/support/services.ts';

const ground = groundOf({ settings: { KEYFERRY_SYNC_RECHECK_MS: '8000' } });

test('a push of a killed worker that is applied after the removal is removed again', async () => {
  const proxy = ending(await startHoldingProxy(ground.fake));
  const api = await ground.start('serve');
  await ground.start('sweep');
  const client = ground.client(api);
  await ground.destination(api, 'late', proxy.destination);
  await client.write('secret/data/late', { data: { v: '1' } });
  const association = { mount: 'secret', secret_name: 'late' };
  const associations = `sys/sync/destinations/${type}/late/associations`;

  proxy.hold('write', 1);
  await client.write(`${associations}/set`, association);
  const worker = ending(await ground.start('worker'));
  await until(() => proxy.held() === 1);
  await worker.end('SIGKILL');
  ending(await ground.start('worker'));
  await client.write(`${associations}/remove`, association);
  await until(async () => associationsOf(await client.read(associations)).length === 0);

  await proxy.release();
  expect(ground.fake.objects().size).toBe(1);
  await until(() => ground.fake.objects().size === 0);
  await until(async () => (await ground.query('select id from associations')).length === 0);
});
