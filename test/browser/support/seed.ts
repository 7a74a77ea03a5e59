import { sql } from 'kysely';
import type { OpenService } from '#test/support/flow/open-service.ts';

/** Destinations and secrets of several kinds: synced, refused for lack of credentials, and paused. */
export async function seed(service: OpenService) {
  const type = 'cloud-a-sm';
  const working = await service.destination(type);
  for (let at = 0; at < 8; at += 1)
    await service.set(type, working, await service.secret({ value: `v${at}` }, `app/production/service-${at}`));
  const broken = await service.destination(type, { secret_access_key: 'not-the-key' });
  for (let at = 0; at < 3; at += 1)
    await service.set(type, broken, await service.secret({ value: `w${at}` }, `app/staging/worker-${at}`));
  const records = await service.ask('GET', `sys/sync/records?name=${broken}`);
  const [first] = records.data['records'] as { id: string }[];
  await service.ask('POST', 'sys/sync/batches', { action: 'replay', type, name: broken });
  await samples(service, working, broken);
  return { working, broken, failedRecord: first?.id ?? '' };
}

/** The course of the last hour, with a gap. */
async function samples({ store: { db } }: OpenService, working: string, broken: string) {
  await sql`
    insert into sync_sample_slots
    select to_timestamp(floor(extract(epoch from now()) / 10) * 10 - n * 10), n % 40, 1000 from generate_series(1, 340) n
     where n not between 100 and 140 on conflict do nothing`.execute(db);
  await sql`
    insert into sync_samples
    select 'root', slot, 'cloud-a-sm', name, (extract(epoch from slot)::bigint / 10 % 30)::int, 4 + extract(epoch from slot)::bigint / 10 % 25,
           12, case name when ${broken} then 3 else 0 end, case name when ${broken} then '{"credentials": 3}'::jsonb else '{}' end,
           (extract(epoch from slot)::bigint / 10 % 20)::int
      from sync_sample_slots cross join unnest(array[${working}, ${broken}]) as d (name) on conflict do nothing`.execute(
    db,
  );
}
