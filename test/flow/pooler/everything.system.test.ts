import { afterAll, describe, expect, test } from 'vitest';
import { eachOf } from '#core/concurrency/each-of.ts';
import { everyType, serviceOf } from '../../support/flow/open-service.ts';
import { ignoring, poolerOf } from '../../support/postgres/pooler.ts';
import { emptyDatabase } from '../../support/services.ts';

const start = await poolerOf('1.18');

describe.skipIf(start === undefined)('behind PgBouncer 1.18 with few connections', async () => {
  const pooler = await start?.({ databaseUrl: await emptyDatabase(), serverConnections: 4, settings: ignoring });
  afterAll(() => pooler?.stop());
  const service = serviceOf(everyType, { DATABASE_URL: pooler?.url ?? '', KEYFERRY_DATABASE_POOL_SIZE: '8' });

  test('30 secrets with six destinations each are synced without a failed request', async () => {
    const places = await Promise.all(everyType.map(async (type) => ({ type, name: await service.destination(type) })));
    const secrets = Array.from({ length: 30 }, (_, index) => `pooled-${index}`);
    const statuses = new Map<number, number>();
    const ask = async (...request: Parameters<typeof service.ask>) => {
      const { status } = await service.ask(...request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const write = (secret: string, turn: number) =>
      ask('POST', `secret/data/${secret}`, { data: { value: `${secret} ${turn}` } });
    await eachOf(secrets, 16, (secret) => write(secret, 0));
    const pairs = secrets.flatMap((secret) => places.map((place) => ({ secret, ...place })));
    await eachOf(pairs, 16, ({ secret, type, name }) =>
      ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, { mount: 'secret', secret_name: secret }),
    );
    for (let turn = 1; turn < 4; turn += 1) await eachOf(secrets, 16, (secret) => write(secret, turn));
    await eachOf(
      secrets.flatMap((secret) => [secret, secret, secret, secret]),
      16,
      (secret) => ask('GET', `secret/data/${secret}`),
    );
    expect([...statuses]).toEqual([[200, 30 + 180 + 90 + 120]]);
    await service.untilQuiet();
    const records = await Promise.all(places.map(({ type, name }) => service.associations(type, name)));
    const counts = Map.groupBy(records.flat(), ({ sync_status }) => sync_status);
    expect([...counts].map(([status, those]) => [status, those.length])).toEqual([['SYNCED', 180]]);
  });
});
