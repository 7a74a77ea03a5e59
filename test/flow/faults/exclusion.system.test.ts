import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startInFlightProxy } from '../../support/flow/calls/in-flight.ts';
import { startMeasuredWorker } from '../../support/flow/calls/measured.ts';
import { groundOf, until } from '../../support/flow/ground.ts';
import { associateAll } from '../../support/flow/many/changes.ts';
import { ending } from '../../support/services.ts';

/** No spacing, which would keep some pushes apart, and a lock that outlasts a push on a busy machine. */
const ground = groundOf({
  settings: {
    KEYFERRY_SYNC_SPACING_MS: '0',
    KEYFERRY_SYNC_REQUEST_MS_MAX: '8000',
    KEYFERRY_SYNC_OPERATION_MS_MAX: '10000',
    KEYFERRY_SYNC_LOCK_MS: '20000',
    // Fewer associations than either worker takes at once: nothing waits, so a second job of an association meets the first.
    KEYFERRY_SYNC_CONCURRENCY: '64',
  },
});
const [destinations, secrets, rounds] = [10, 3, 4];
const all = destinations * secrets;

/** The number of associations that are claimed now. */
async function claimed(): Promise<number> {
  const rows = await ground.query<{ n: number }>(
    'select count(*)::int as n from associations where claimed_until > now()',
  );
  return rows[0]?.n ?? 0;
}

test('two workers never push the same association at the same time, even if jobs are duplicated or lost', async () => {
  const api = ending(await ground.start('serve'));
  const client = ground.client(api);
  const inFlight = ending(await startInFlightProxy(ground.fake));
  const redis = new Redis(ground.environment['REDIS_URL'] ?? '');
  try {
    inFlight.delay(400);
    await client.merge('sys/sync/config', { disabled: true });
    const body = inFlight.destination;
    const names = await associateAll(ground, api, { hint: 'twin', destinations, secrets, body });
    const write = (v: string) => Promise.all(names.map((name) => client.write(`secret/data/${name}`, { data: { v } })));
    const workers = [ending(await startMeasuredWorker(ground)), ending(await startMeasuredWorker(ground))];
    ending(await ground.start('sweep'));
    await client.merge('sys/sync/config', { disabled: false });
    for (let round = 1; round <= rounds; round += 1) {
      await write(`change ${round}`);
      await until(
        async () => (await claimed()) >= all / 2,
        () => `fewer than half are claimed in round ${round}`,
      );
      // Redis loses what is in flight, so the sweep and the writes queue it a second time.
      await redis.flushall();
      await write(`repeated ${round}`);
      await ground.untilQuiet();
    }
    expect(inFlight.overlaps).toEqual([]);
    const busy = await Promise.all(workers.map((one) => one.counted('keyferry_sync_claims_total', 'outcome="busy"')));
    expect(busy.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(inFlight.widest).toBeGreaterThan(1);
    const values = [...ground.fake.objects()].filter(([at]) => at.startsWith('twin-')).map(([, { value }]) => value);
    expect(values).toEqual(Array.from({ length: all }, () => `{"v":"repeated ${rounds}"}`));
  } finally {
    redis.disconnect();
  }
});
