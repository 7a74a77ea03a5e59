import type { Transaction } from 'kysely';
import { bool, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';

/** Changes of each kind that are named. */
const namedMax = 10;

/** What has changed since a plan was made, as texts; none when it still fits the records. */
export async function changesSince(tx: Transaction<Database>, planId: string): Promise<readonly string[]> {
  const destinations = await changedDestinations(planId).execute(tx);
  const secrets = await changedSecrets(planId).execute(tx);
  return [
    ...some(destinations.rows, ({ type, name, at, purging }) => {
      const destination = `destination ${type}/${name}`;
      if (at === null) return `${destination}: it was deleted`;
      return purging ? `${destination}: it is being purged` : `${destination}: its settings, at ${at.toISOString()}`;
    }),
    ...some(secrets.rows, ({ mount_path, secret_name, type, name, at }) => {
      const secret = `${mount_path}${secret_name} at ${type}/${name}`;
      return at === null ? `${secret}: its association was removed` : `${secret}: its record, at ${at.toISOString()}`;
    }),
  ];
}

function some<T>(rows: readonly T[], text: (row: T) => string): readonly string[] {
  const named = rows.slice(0, namedMax).map(text);
  return rows.length > namedMax ? [...named, 'and more'] : named;
}

const changedDestinations = (planId: string) => rowsOf({
  type: text,
  name: text,
  at: nullable(timestamptz),
  purging: bool,
})`
  select p.type, p.name, d.updated_at as at, d.purge_initiated_at is not null as purging
    from sync_plan_destinations p left join destinations d on d.id = p.destination_id
   where p.plan_id = ${planId}::uuid
     and (d.id is null or d.revision <> p.revision or d.purge_initiated_at is not null)
   order by p.type, p.name limit ${namedMax + 1}::int`;

/** A generation grows with each change of the secret, of the association, and of its destination or mount. */
const changedSecrets = (planId: string) => rowsOf({
  mount_path: text,
  secret_name: text,
  type: text,
  name: text,
  at: nullable(timestamptz),
})`
  select i.mount_path, i.secret_name, p.type, p.name, coalesce(a.dirty_since, a.updated_at) as at
    from sync_plan_items i
    join sync_plan_destinations p on p.plan_id = i.plan_id and p.destination_id = i.destination_id
    left join associations a on a.id = i.association_id
   where i.plan_id = ${planId}::uuid and (a.id is null or a.generation <> i.generation)
   order by i.association_id limit ${namedMax + 1}::int`;
