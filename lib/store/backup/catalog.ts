import type pg from 'pg';
import { arrayOf, bigintText, nullable, text } from '../sql/kinds.ts';
import { queryRows } from '../sql/rows.ts';
import type { BackupTable } from './parts.ts';

/** The tables in the schema of the service. */
const tables = `select c.oid, c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`;

export async function tableNames(client: pg.Client): Promise<readonly string[]> {
  const rows = await queryRows(client, { name: text }, `select t.name from (${tables}) t order by t.name`);
  return rows.map(({ name }) => name);
}

/** The functions of the schema, quoted and with their argument types; functions of extensions are left out. */
export async function functionNames(client: pg.Client): Promise<readonly string[]> {
  const rows = await queryRows(
    client,
    { name: text },
    `select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * The tables with data, without the list of migrations. A table comes after those that it references, except where the foreign
 * key is checked only at the end of the transaction.
 */
export async function tablesInOrder(client: pg.Client): Promise<readonly BackupTable[]> {
  const columns = { name: text, columns: arrayOf(text), identities: arrayOf(text), needs: arrayOf(text) };
  const rows = await queryRows(
    client,
    columns,
    `
    select t.name,
           array(select attname::text from pg_attribute
                  where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
           array(select attname::text from pg_attribute
                  where attrelid = t.oid and attnum > 0 and not attisdropped and attidentity <> '' order by attnum) as identities,
           array(select distinct k.confrelid::regclass::text from pg_constraint k
                  where k.conrelid = t.oid and k.contype = 'f' and not k.condeferred and k.confrelid <> t.oid) as needs
      from (${tables}) t where t.name <> 'schema_migrations' order by t.name`,
  );
  const done: BackupTable[] = [];
  const left = [...rows];
  while (left.length > 0) {
    const next = left.findIndex(({ needs }) => needs.every((need) => done.some(({ name }) => name === unquoted(need))));
    const [table] = left.splice(next, 1);
    if (next < 0 || table === undefined) throw new Error('tables refer to each other in a circle');
    const identities = await Promise.all(table.identities.map((column) => identityOf(client, table.name, column)));
    done.push({ name: table.name, columns: [...table.columns], identities });
  }
  return done;
}

const unquoted = (name: string): string => name.replaceAll('"', '').replace(/^.*\./, '');

async function identityOf(client: pg.Client, table: string, column: string) {
  const rows = await queryRows(
    client,
    { last: nullable(bigintText) },
    `select pg_sequence_last_value(pg_get_serial_sequence(quote_ident($1), $2)::regclass)::text as last`,
    [table, column],
  );
  return { column, last: rows[0]?.last ?? '0' };
}

/** The names of the applied migrations; undefined when the service has never used this database. */
export async function appliedMigrations(client: pg.Client): Promise<readonly string[] | undefined> {
  if (!(await tableNames(client)).includes('schema_migrations')) return undefined;
  const rows = await queryRows(client, { name: text }, 'select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Undefined when the store is not initialised. */
export async function clusterIdOf(client: pg.Client): Promise<string | undefined> {
  if (!(await tableNames(client)).includes('seal')) return undefined;
  const rows = await queryRows(client, { cluster_id: text }, 'select cluster_id from seal');
  return rows[0]?.cluster_id;
}
