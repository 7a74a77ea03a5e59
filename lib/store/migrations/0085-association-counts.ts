import { type QueryExecutorProvider, sql } from 'kysely';
import { bigintText } from '../sql/kinds.ts';
import { rowsOf } from '../sql/rows.ts';
import { alterSoon } from './alter-soon.ts';

/**
 * How many associations of a destination have a status and kind of error, how many of them are dirty, and how many have drifted: the sums of
 * the rows of a table. A statement that changes associations adds rows with what it changed, by triggers, in its own transaction. No row is
 * ever updated, so statements do not wait for each other, and the sums are exact in every snapshot.
 *
 * The function `mend_association_counts` adds what is missing between the sums and the associations of a destination, and returns it. It
 * fills the table, too: everything that began before the triggers has ended, so one statement that counts both sees what they miss.
 * Each statement may run again.
 */
export async function associationCounts(db: QueryExecutorProvider): Promise<void> {
  for (const statement of table) await sql.raw(statement).execute(db);
  for (const text of [countFunction, mendFunction]) await sql.raw(text).execute(db);
  await alterSoon(db, sql.raw(triggers.join('; ')));
  await fill(db);
}

/** Rows live for seconds until they are folded, so the trigger of vacuum is their number. */
const table = [
  `create table if not exists association_counts (
     destination_id bigint not null,
     id bigint generated always as identity,
     status text collate "C" not null,
     kind text collate "C" not null,
     associations integer not null,
     dirty integer not null,
     drifted integer not null,
     folded boolean not null default false,
     primary key (destination_id, id)
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000)`,
  'create index if not exists association_counts_unfolded on association_counts (id) where not folded',
];

/**
 * The groups of associations with their numbers, `factor` times each. A remnant is not one of the associations, but may be dirty. An error
 * is that of the present attempts: a change makes an earlier one outdated.
 */
const numbersOf = (from: string, factor: 1 | -1): string => `
  select destination_id, status,
         case when status <> 'SYNCED' and (status <> 'PENDING' or attempts > 0) and not ${isRemnant}
              then coalesce(error ->> 'kind', '') else '' end as kind,
         case when ${isRemnant} then 0 else ${factor} end as associations,
         case when generation > observed_generation then ${factor} else 0 end as dirty,
         case when drift is null or ${isRemnant} then 0 else ${factor} end as drifted
    from ${from}`;

const isRemnant = `(desired = 'absent' and status = 'UNSYNCED')`;

/** Adds the sums of such groups, those that are not zero. */
const addSums = (...groups: readonly string[]): string => `
  insert into association_counts (destination_id, status, kind, associations, dirty, drifted)
  select destination_id, status, kind, sum(associations), sum(dirty), sum(drifted)
    from (${groups.join(' union all ')}) as groups
   group by destination_id, status, kind
  having sum(associations) <> 0 or sum(dirty) <> 0 or sum(drifted) <> 0`;

const countFunction = `
  create or replace function count_associations() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then ${addSums(numbersOf('after_it', 1), numbersOf('before_it', -1))};
    elsif tg_op = 'INSERT' then ${addSums(numbersOf('after_it', 1))};
    else ${addSums(numbersOf('before_it', -1))};
    end if;
    return null;
  end $$`;

/** Two of these at the same time would both add what is missing, so the second waits, and then counts anew. */
const mendFunction = `
  create or replace function mend_association_counts(of_destination bigint) returns setof association_counts language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('association_counts'), 0);
    return query ${addSums(
      numbersOf('associations where associations.destination_id = of_destination', 1),
      `select c.destination_id, c.status, c.kind, -c.associations, -c.dirty, -c.drifted
         from association_counts c where c.destination_id = of_destination`,
    )}
    returning *;
  end $$`;

const trigger = (name: string, event: string, tables: string): string =>
  `create or replace trigger associations_${name} after ${event} on associations
     referencing ${tables} for each statement execute function count_associations()`;

const triggers = [
  trigger('made', 'insert', 'new table as after_it'),
  trigger('changed', 'update', 'old table as before_it new table as after_it'),
  trigger('deleted', 'delete', 'old table as before_it'),
];

const destinationsPerPage = 1_000;

async function fill(db: QueryExecutorProvider): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await rowsOf({ id: bigintText })`
      select id from destinations where id > ${after}::bigint order by id limit ${destinationsPerPage}::int`.execute(
      db,
    );
    for (const { id } of rows) await sql`select from mend_association_counts(${id}::bigint)`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
