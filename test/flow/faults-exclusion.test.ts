import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { ending } from '../services.ts';
import { associateAll } from './faults-associations.ts';
import { groundOf, until } from './faults-ground.ts';
import { startWitness } from './faults-witness.ts';

const ground = groundOf();
const [destinations, secrets] = [10, 50];
const all = destinations * secrets;

test('two workers never push the same association at the same time, whatever is queued twice or forgotten', async () => {
  const api = ending(await ground.start('serve'));
  const client = ground.client(api);
  const witness = ending(await startWitness(ground.fake));
  const redis = new Redis(ground.environment['REDIS_URL'] ?? '');
  try {
    witness.delay(40);
    await client.merge('sys/sync/config', { disabled: true });
    const body = witness.destination;
    const names = await associateAll(ground, api, { hint: 'twin', destinations, secrets, body });
    const write = (some: readonly string[], v: string) =>
      Promise.all(some.map((name) => client.write(`secret/data/${name}`, { data: { v } })));
    const concurrency = { KEYFERRY_SYNC_CONCURRENCY: '16' };
    ending(await ground.start('worker', concurrency));
    ending(await ground.start('worker', concurrency));
    ending(await ground.start('sweep'));
    await client.merge('sys/sync/config', { disabled: false });
    // Redis forgets what is in hand, so the sweep and the writes queue it a second time.
    for (const left of [0.8, 0.4]) {
      await until(async () => (await ground.dirty()) < all * left);
      await redis.flushall();
      await write(names.slice(0, 10), 'first');
    }
    await write(names, 'second');
    await ground.untilQuiet();
    expect(witness.overlaps).toEqual([]);
    expect(witness.widest).toBeGreaterThan(16);
    const values = [...ground.fake.objects()].filter(([at]) => at.startsWith('twin-')).map(([, { value }]) => value);
    expect(values).toEqual(Array.from({ length: all }, () => '{"v":"second"}'));
  } finally {
    redis.disconnect();
  }
});
