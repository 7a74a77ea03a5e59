import type pg from 'pg';
import type { BackupTable } from './parts.ts';

/** The tables of the schema that the service uses. */
const tables = `select c.oid, c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`;

export async function tableNames(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`${tables} order by c.relname`);
  return rows.map(({ name }) => name);
}

/** The functions of the schema, quoted and with their arguments; not those of extensions. */
export async function functionNames(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`);
  return rows.map(({ name }) => name);
}

/**
 * The tables with data, those that others refer to before these, but for references
 * that are looked at when the transaction ends; the list of migrations is no data.
 */
export async function tablesInOrder(client: pg.Client): Promise<readonly BackupTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; identities: string[]; needs: string[] }>(`
    select t.name,
           array(select attname::text from pg_attribute
                  where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
           array(select attname::text from pg_attribute
                  where attrelid = t.oid and attnum > 0 and not attisdropped and attidentity <> '' order by attnum) as identities,
           array(select distinct k.confrelid::regclass::text from pg_constraint k
                  where k.conrelid = t.oid and k.contype = 'f' and not k.condeferred and k.confrelid <> t.oid) as needs
      from (${tables}) t where t.name <> 'schema_migrations' order by t.name`);
  const done: BackupTable[] = [];
  const left = [...rows];
  while (left.length > 0) {
    const next = left.findIndex(({ needs }) => needs.every((need) => done.some(({ name }) => name === unquoted(need))));
    const [table] = left.splice(next, 1);
    if (next < 0 || table === undefined) throw new Error('tables refer to each other in a circle');
    const identities = await Promise.all(table.identities.map((column) => identityOf(client, table.name, column)));
    done.push({ name: table.name, columns: table.columns, identities });
  }
  return done;
}

const unquoted = (name: string): string => name.replaceAll('"', '').replace(/^.*\./, '');

async function identityOf(client: pg.Client, table: string, column: string) {
  const { rows } = await client.query<{ last: string | null }>(
    `select pg_sequence_last_value(pg_get_serial_sequence(quote_ident($1), $2)::regclass)::text as last`,
    [table, column],
  );
  return { column, last: rows[0]?.last ?? '0' };
}

/** The steps of the schema that were taken; undefined: no process of this service has seen the database. */
export async function appliedMigrations(client: pg.Client): Promise<readonly string[] | undefined> {
  if (!(await tableNames(client)).includes('schema_migrations')) return undefined;
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Undefined: the store is not initialised. */
export async function clusterIdOf(client: pg.Client): Promise<string | undefined> {
  if (!(await tableNames(client)).includes('seal')) return undefined;
  const { rows } = await client.query<{ cluster_id: string }>('select cluster_id from seal');
  return rows[0]?.cluster_id;
}
