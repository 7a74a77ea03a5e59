import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import type { CloudASmFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { until } from '#test/support/redis/wait.ts';

const service = serviceOf(undefined, { KEYFERRY_SYNC_DRIFT_EVERY_MS: '250' });

/** Destinations of a type share the rate of its stand-in, so those of earlier tests are left alone. */
afterEach(async () => {
  await sql`update destinations set on_drift = 'off'`.execute(service.store.db);
});

interface Shown {
  readonly drift: string | null;
  readonly drift_at: string | null;
  readonly status: string;
  readonly entries: readonly { readonly external_name: string }[];
}

async function recordsOf(type: string, name: string, query = ''): Promise<readonly Shown[]> {
  const { data } = await service.ask('GET', `sys/sync/records?type=${type}&name=${name}${query}`);
  return (data as unknown as { readonly records: readonly Shown[] }).records;
}

async function destinationOf(type: string, name: string) {
  return (await service.ask('GET', `sys/sync/destinations/${type}/${name}`)).data as Readonly<Record<string, unknown>>;
}

/** A destination with one synced secret, and the name of its object. */
async function synced(type: string, changes: object = {}) {
  const name = await service.destination(type, changes);
  const secret = await service.secret({ v: 'value-of-ours' });
  await service.set(type, name, secret);
  const [record] = await recordsOf(type, name);
  return { name, secret, object: record?.entries[0]?.external_name ?? '', fake: service.fake(type) };
}

/** Waits until the looks show this on the only record of a destination. */
const untilDrift = (type: string, name: string, drift: string | null) =>
  until(async () => (await recordsOf(type, name))[0]?.drift === drift);

/** Waits until a look that began after this call has ended. */
async function lookedAt(type: string, name: string): Promise<void> {
  const asked = Date.now();
  await sql`update destination_drift set due_at = now() where leased_by is null`.execute(service.store.db);
  for (const _ of [1, 2]) {
    const before = String((await destinationOf(type, name))['drift_checked_at']);
    await until(async () => {
      const now = String((await destinationOf(type, name))['drift_checked_at']);
      return now !== before && Date.parse(now) > asked;
    });
  }
}

describe.each(definitions)('a look at a destination of type $type', ({ type }) => {
  test('finds nothing where all is as the sync left it, and says when it looked', async () => {
    const { name } = await synced(type);
    await lookedAt(type, name);
    expect(await recordsOf(type, name)).toMatchObject([{ status: 'SYNCED', drift: null, drift_at: null }]);
    expect(await destinationOf(type, name)).toMatchObject({
      on_drift: 'report',
      drifted: 0,
      drift_unseen: 0,
      drift_error: null,
    });
  });

  test('finds a change of another client, reports it, and a sync clears it', async () => {
    const { name, secret, object, fake } = await synced(type);
    fake.change(object, 'by hand');
    await untilDrift(type, name, 'changed');
    expect(await recordsOf(type, name, '&drift=changed,tags')).toHaveLength(1);
    expect(await recordsOf(type, name, '&drift=deleted')).toEqual([]);
    await until(async () => (await destinationOf(type, name))['drifted'] === 1);
    expect(fake.objects().get(object)?.value).toBe('by hand');
    await service.secret({ v: 'a newer value' }, secret);
    await untilDrift(type, name, null);
  });

  test('repairs it by a sync where the destination says so', async () => {
    const { name, object, fake } = await synced(type, { on_drift: 'repair' });
    const before = fake.objects().get(object)?.value;
    fake.change(object, 'by hand');
    await until(async () => fake.objects().get(object)?.value === before);
    await untilDrift(type, name, null);
    const changes = await generationOf(name);
    await lookedAt(type, name);
    expect(await generationOf(name)).toBe(changes);
  });
});

async function generationOf(name: string): Promise<number> {
  const { rows } = await sql<{ generation: number }>`
    select a.generation from associations a join destinations d on d.id = a.destination_id where d.name = ${name}`.execute(
    service.store.db,
  );
  return rows[0]?.generation ?? 0;
}

describe.each(definitions.filter(({ markless }) => markless !== true))('a look at $type', ({ type }) => {
  test('tells a foreign object in the place of ours, which no repair overwrites', async () => {
    const { name, object, fake } = await synced(type, { on_drift: 'repair' });
    fake.seed(object, 'of another client');
    await untilDrift(type, name, 'foreign');
    await lookedAt(type, name);
    expect(fake.objects().get(object)?.value).toBe('of another client');
    expect(await recordsOf(type, name)).toMatchObject([{ drift: 'foreign', status: 'SYNCED' }]);
  });
});

describe('a look', () => {
  const type = 'cloud-a-sm';
  const fake = () => service.fake<CloudASmFake>(type);

  test('tells a deleted object, which a repair creates again', async () => {
    const { name, object } = await synced(type);
    fake().schedule(object);
    await untilDrift(type, name, 'deleted');
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { on_drift: 'repair' });
    await until(async () => fake().objects().has(object));
    await untilDrift(type, name, null);
  });

  test('tells other tags, and forgets them when they are set right there', async () => {
    const { name, object } = await synced(type, { custom_tags: { team: 'shop' } });
    fake().tag(object, { team: 'another' });
    await untilDrift(type, name, 'tags');
    fake().tag(object, { team: 'shop' });
    await untilDrift(type, name, null);
  });

  test('is not taken while the destination is paused, or off', async () => {
    const { name, object } = await synced(type);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { on_drift: 'off' });
    const other = await synced(type);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${other.name}`, { disabled: true });
    for (const one of [object, other.object]) fake().change(one, 'by hand');
    const third = await synced(type);
    await lookedAt(type, third.name);
    for (const one of [name, other.name]) expect((await recordsOf(type, one))[0]?.drift).toBeNull();
    await service.ask('PATCH', `sys/sync/destinations/${type}/${other.name}`, { disabled: false });
    await untilDrift(type, other.name, 'changed');
  });

  test('goes on without the permission to list, and says what it may not see', async () => {
    const { name, object } = await synced(type);
    for (let count = 0; count < 5; count += 1) await service.set(type, name, await service.secret({ v: 'more' }));
    fake().deny('ListSecrets');
    fake().change(object, 'by hand');
    await until(async () => (await recordsOf(type, name, '&drift=any')).length === 1);
    fake().deny('ListSecrets', 'DescribeSecret');
    await until(async () => (await destinationOf(type, name))['drift_unseen'] === 6);
    fake().deny();
    await until(async () => (await destinationOf(type, name))['drift_unseen'] === 0);
  });

  test('that fails says why, and is tried again', async () => {
    const { name } = await synced(type);
    await lookedAt(type, name);
    fake().fail({ kind: 'credentials' });
    await until(async () => (await destinationOf(type, name))['drift_error'] !== null);
    expect(await destinationOf(type, name)).toMatchObject({ drift_error: { kind: 'credentials' } });
    fake().heal();
    await lookedAt(type, name);
    expect((await destinationOf(type, name))['drift_error']).toBeNull();
  });

  test('is refused an action that does not exist', async () => {
    const name = await service.destination(type);
    const refused = await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { on_drift: 'mend' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('on_drift must be one of')]);
  });
});
