import type { Stage } from '../stage.ts';

/** The tables to fill, and those that their rows refer to. */
export const tables = ['kv_secrets', 'kv_versions', 'associations', 'sync_objects', 'tokens'] as const;

interface Made {
  readonly drop: string;
  readonly make: string;
}

/**
 * Drops the indexes, constraints and triggers of the tables, and returns a function that creates them again: without them millions
 * of rows are inserted in minutes, and an index that is created afterwards is compact.
 */
export async function dropIndexes({ database }: Stage): Promise<() => Promise<void>> {
  const { rows: constraints } = await database.query<Made>(constraintsOf, [tables]);
  const { rows: indexes } = await database.query<Made>(indexesOf, [tables]);
  for (const { drop } of [...constraints, ...indexes]) await database.query(drop);
  for (const table of tables) await database.query(`alter table ${table} disable trigger user`);
  return async () => {
    for (const table of tables) await database.query(`alter table ${table} enable trigger user`);
    for (const { make } of [...indexes, ...constraints.toReversed()]) await database.query(make);
  };
}

/** Foreign keys first, since they depend on the others. They are created again without checking the rows. */
const constraintsOf = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
         format('alter table %s add constraint %I %s%s', conrelid::regclass, conname, pg_get_constraintdef(oid),
                case contype when 'f' then ' not valid' else '' end) as make
    from pg_constraint
   where contype in ('p', 'u', 'f') and (conrelid = any($1::text[]::regclass[]) or confrelid = any($1::text[]::regclass[]))
   order by contype = 'f' desc, conname`;

const indexesOf = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
    from pg_index i
   where indrelid = any($1::text[]::regclass[])
     and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;
