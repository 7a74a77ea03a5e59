import { arrayOf, bool, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** A column as the catalog of PostgreSQL describes it. */
export interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  /** Such as `timestamp with time zone` or `text[]`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly written: 'by-insert' | 'with-default' | 'generated';
  /** The texts that a check constraint of this column allows. */
  readonly texts: readonly string[] | null;
}

const columns = {
  table: text,
  name: text,
  type: text,
  isNullable: bool,
  written: oneOf('by-insert', 'with-default', 'generated'),
  texts: nullable(arrayOf(text)),
};

/** All columns of the schema, ordered by table name and by creation. */
export async function readCatalog({ db }: Pick<Store, 'db'>): Promise<readonly CatalogColumn[]> {
  const { rows } = await rowsOf(columns)`
    select c.relname::text as "table", a.attname::text as name, format_type(a.atttypid, null) as type,
           not a.attnotnull as "isNullable",
           (select array(select found[1] from regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g') as found)
              from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
               and starts_with(pg_get_constraintdef(k.oid), 'CHECK ((' || a.attname || ' = ANY (ARRAY[')) as texts,
           case when a.attgenerated <> '' or a.attidentity = 'a' then 'generated'
                when a.atthasdef or a.attidentity = 'd' then 'with-default' else 'by-insert' end as written
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
     order by c.relname, a.attnum`.execute(db);
  return rows;
}
