import pg from 'pg';

const ofTables = "relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')";

/** One line for each column, key, index, trigger and function of a schema, with its definition and storage. */
const queries = [
  `select format('column %s.%s %s %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                 case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid), a.attstorage,
                 nullif(a.attidentity, ''), (select collname from pg_collation where oid = a.attcollation)) as line
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${ofTables}`,
  // PostgreSQL 18 and later also list NOT NULL as a constraint.
  `select format('key %s.%s %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
     from pg_constraint k join pg_class c on c.oid = k.conrelid where ${ofTables} and k.contype <> 'n'`,
  `select format('index %s %s', pg_get_indexdef(i.indexrelid), i.indisvalid) as line
     from pg_index i join pg_class c on c.oid = i.indrelid where ${ofTables}`,
  `select format('trigger %s %s', pg_get_triggerdef(t.oid), t.tgenabled) as line
     from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${ofTables} and not t.tgisinternal`,
  `select format('function %s', pg_get_functiondef(oid)) as line
     from pg_proc where pronamespace = current_schema()::regnamespace`,
];

/** The schema of a database as lines; equal schemas have equal lines. */
export async function schemaOf(databaseUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ line: string }>(`${queries.join(' union all ')} order by line`);
  await client.end();
  return rows.map(({ line }) => line);
}

/** The content of the database by table. */
export async function contentOf(databaseUrl: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1`,
  );
  const content: Record<string, readonly unknown[]> = {};
  for (const { name } of rows) content[name] = (await client.query(`select t::text from "${name}" t order by 1`)).rows;
  await client.end();
  return content;
}
