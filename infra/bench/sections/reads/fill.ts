import { loadFake } from '#destinations/load.ts';
import { dropIndexes } from '../../growth/indexes.ts';
import type { Stage } from '../../stage.ts';

export const type = 'deploy-host-project';
/** Destinations with an equal share of the associations, in the root and in a namespace. */
const destinations = 100;
export const namespace = 'reads';
/** Of so many associations one waits, one has failed for good, one is retried, and one has an unconfirmed call. */
const rareOne = 100;
const slabRows = 100_000;

export const destinationOf = (index: number): string => `reads-${index}`;

/** The associations that single reads use. */
export interface FilledRecords {
  readonly id: string;
}

/**
 * Fills the store with associations by SQL, half of them in a namespace, with a history for each hundredth, samples of a day in each
 * slot, and counts of attempts. Nothing of it is ever synced.
 */
export async function fillRecords(stage: Stage, count: number, report: (text: string) => void): Promise<FilledRecords> {
  await makeDestinations(stage);
  const restore = await dropIndexes(stage);
  for (let first = 0; first < count; first += slabRows) {
    await stage.database.query(associations, [first, Math.min(first + slabRows, count) - 1]);
    report(`associations made: ${first} of ${count}`);
  }
  report('indexes made');
  await restore();
  for (const statement of besides) await stage.database.query(statement);
  await stage.database.query('vacuum analyze');
  const { rows } = await stage.database.query<{ id: string }>(
    'select min(association_id)::text as id from sync_attempts',
  );
  return { id: rows[0]?.id ?? '' };
}

async function makeDestinations(stage: Stage): Promise<void> {
  await stage.write(`sys/namespaces/${namespace}`, {});
  await stage.write(`${namespace}/sys/mounts/secret`, { type: 'kv', options: { version: '2' } });
  const fake = await (await loadFake(type))();
  try {
    for (let index = 0; index < destinations; index += 1) {
      const place = index % 2 === 0 ? '' : `${namespace}/`;
      await stage.write(`${place}sys/sync/destinations/${type}/${destinationOf(index)}`, fake.destination);
    }
  } finally {
    await fake.close();
  }
}

/** Associations of a folder of a hundred secrets each, which go to the destinations in turn. */
const associations = `
  with d as (
    select d.id, d.namespace_id, substr(d.name, 7)::int as index from destinations d where d.name like 'reads-%'
  ),
  m as (select m.id, m.path, m.accessor, m.namespace_id from mounts m where m.path in ('secret/', '${namespace}/secret/'))
  insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                            desired, observed_generation, status, error, attempts, records, updated_at, dirty_since, unconfirmed_at)
  select d.id, '${type}', m.id, m.path, m.accessor, 'reads/' || substr(md5((n / 100)::text), 1, 8) || '/s' || n, 'secret-path',
         'K{{ .SecretPath | uppercase }}', false, 'present', case when k in (0, 2) then 0 else 1 end,
         case k when 0 then 'PENDING' when 1 then 'CLIENT_SIDE_ERROR' when 2 then 'PENDING' else 'SYNCED' end,
         case k when 1 then '{"kind":"name","message":"no"}'::jsonb when 2 then '{"kind":"timeout","message":"late"}'::jsonb end,
         case k when 2 then 1 else 0 end, '[]', now(), case when k in (0, 2) then now() end, case when k = 3 then now() end
    from (select n, n % ${rareOne * destinations} / ${destinations} as k from generate_series($1::bigint, $2::bigint) n) one
    join d on d.index = n % ${destinations}
    join m on m.namespace_id = d.namespace_id`;

const besides = [
  `insert into sync_attempts (association_id, generation, duration_ms, calls, outcome)
   select id, 1, 20, 1, 'synced' from associations cross join generate_series(1, 20) where id % ${rareOne} = 1`,
  `insert into destination_results (destination_id, last_success_at) select id, now() from destinations on conflict do nothing`,
  `insert into sync_sample_slots (slot, pending, capacity, summed)
   select to_timestamp(floor(extract(epoch from now()) / 10) * 10 - n * 10), n % 100, 1000000, true from generate_series(1, 8639) n
   on conflict do nothing`,
  `insert into sync_samples
   select d.namespace_id, s.slot, d.type, d.name, 5, 9, 40, 2, '{"name":1,"timeout":1}', 41
     from sync_sample_slots s cross join (select * from destinations where name like 'reads-%' order by id limit 40) d`,
  `insert into sync_sample_spans
   select namespace_id, to_timestamp(floor(extract(epoch from slot) / 300) * 300) as span, type, name, max(pending),
          max(oldest_seconds), sum(done), sum(failed), '{"name":30,"timeout":30}', sum(arrived)
     from sync_samples group by namespace_id, span, type, name`,
  `insert into sync_sample_sums
   select namespace_id, l.seconds, to_timestamp(floor(extract(epoch from slot) / l.seconds) * l.seconds) as span, type,
          case when l.seconds = 3600 then name else '' end as summed, 5 * count(distinct name), max(oldest_seconds), sum(done), sum(failed),
          sum(arrived), jsonb_build_object('name', count(*), 'timeout', count(*))
     from sync_samples cross join (values (10), (300), (3600)) l (seconds) group by namespace_id, l.seconds, span, type, summed`,
];
