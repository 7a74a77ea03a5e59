import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Fault } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { credentialsOf } from '../../contract/support/stand.ts';
import { foundIn, logDump, postgresDump, redisDump, replyDump } from '../../support/flow/backup/dumps.ts';
import { briefCalls, eventually, everyType, serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf(everyType, {
  KEYFERRY_SYNC_ATTEMPTS_MAX: '1',
  ...briefCalls,
  KEYFERRY_SYNC_WAIT_MS: '0',
});

const faults: readonly Fault['kind'][] = [
  'throttle',
  'unavailable',
  'denied',
  'credentials',
  'hang',
  'reset',
  'lost-answer',
];

/** A text that occurs nowhere by chance, and that is escaped in a URL and in JSON. */
const marker = `marker-${randomBytes(12).toString('hex')}/+ "ü"`;

test('secret values are only in the secret itself and at its destinations', async () => {
  const secrets = [marker, ...(await syncEverywhere()), service.rootToken];
  await failEverywhere();
  await service.ask('POST', 'secret/data/broken', undefined, { raw: `{"data":{"v":"${marker}` });
  await service.ask('POST', 'sys/sync/destinations/repo-host/broken', { access_token: { nested: marker } });
  await service.ask('POST', 'sys/sync/github-apps/broken', { app_id: '1', private_key: marker });

  const sources = {
    redis: await redisDump(service),
    postgres: await postgresDump(service),
    log: logDump(service),
    replies: replyDump(service),
  };
  for (const [source, text] of Object.entries(sources)) {
    expect(text.length, `${source} is empty, so nothing was searched`).toBeGreaterThan(100);
    expect(foundIn(text, secrets), source).toEqual([]);
  }
});

test('the search finds a value anywhere, in each of its forms', async () => {
  const kept = [Buffer.from(marker).toString('base64'), Buffer.from(`{"v":"${marker}"}`).toString('hex'), marker];
  const redis = new Redis(service.config.REDIS_URL ?? '');
  for (const [index, text] of kept.entries()) {
    await service.store.db.insertInto('revisions').values({ name: text }).execute();
    expect(foundIn(await postgresDump(service), [marker])).toHaveLength(index + 1);
    await redis.hset(`${service.config.KEYFERRY_REDIS_PREFIX}:probe`, `field${index}`, text);
    expect(foundIn(await redisDump(service), [marker])).toHaveLength(index + 1);
  }
  await redis.quit();
});

/** Syncs the marker, as a whole value and as the value of a key. Returns the credentials that were used. */
async function syncEverywhere(): Promise<readonly string[]> {
  const host = service.fake<RepoHostFake>('repo-host');
  await service.ask('POST', `sys/sync/github-apps/${host.appDestination['app_name']}`, host.app);
  await service.ask('POST', 'sys/sync/destinations/repo-host/by-app', host.appDestination);
  const used: string[] = [host.app.private_key];
  for (const definition of definitions) {
    const { destination } = service.fake(definition.type);
    used.push(...credentialsOf(definition, destination));
    await service.ask('POST', `sys/sync/destinations/${definition.type}/place`, destination);
  }
  await service.ask('POST', 'secret/data/app', { data: { value: marker } });
  for (const type of everyType) await set(type, 'place');
  await set('repo-host', 'by-app');
  // There is only one attempt, for which a busy machine may be too slow.
  await eventually(async () => {
    await service.ask('POST', 'sys/sync/replay');
    await service.untilQuiet();
    return everyType.every(holdsMarker);
  });
  return used;
}

const holdsMarker = (type: string): boolean =>
  [...service.fake(type).objects().values()].some(({ value }) => value.includes(marker.slice(0, 30)));

const set = (type: string, name: string) =>
  service.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, {
    mount: 'secret',
    secret_name: 'app',
  });

/** Injects every kind of fault at every type, with a new version that contains the marker. */
async function failEverywhere(): Promise<void> {
  for (const kind of faults) {
    for (const type of everyType) {
      service.fake(type).fail({ kind, ...(kind === 'throttle' ? { retryAfterSeconds: 0 } : {}) });
    }
    await service.ask('POST', 'secret/data/app', { data: { value: `${marker} ${kind}` } });
    await eventually(async () => (await pending()) === 0);
    for (const type of everyType) await service.ask('GET', `sys/sync/destinations/${type}/place/associations`);
    await service.ask('GET', 'sys/sync/associations/secret/app');
    for (const type of everyType) service.fake(type).heal();
  }
  await service.ask('POST', 'sys/sync/replay');
  await service.untilQuiet();
}

async function pending(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from associations where generation > observed_generation`.execute(service.store.db);
  return rows[0]?.count ?? 0;
}
