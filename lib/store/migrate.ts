import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Migration, migrations } from './migrations/index.ts';

/** Any number that no other program locks in this database. */
const lockKey = 7_294_381_165;

/**
 * Brings the schema to the newest step. Any number of processes may do this at once: each step takes the lock, looks what
 * is still to do, and does one step in the same transaction, so a step runs once and a crash leaves whole steps.
 *
 * @throws Error when the database was migrated by a newer release: going on would write what that release cannot read.
 */
export async function migrate<DB>(db: Kysely<DB>, list: readonly Migration[] = migrations): Promise<void> {
  // One round more than there are steps: the last one finds nothing to do.
  for (let round = 0; round <= list.length; round += 1) {
    const done = await db.transaction().execute((tx) => nextStep(tx, list));
    if (done) return;
  }
  throw new Error('the migrations of the database did not come to an end');
}

/** Whether there is nothing to do; takes no lock, so it costs a start two short queries. */
export async function isMigrated(db: QueryExecutorProvider, list: readonly Migration[] = migrations): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('schema_migrations') is not null as there`.execute(db);
  if (rows[0]?.there !== true) return false;
  return pending(await applied(db), list).length === 0;
}

async function nextStep(tx: QueryExecutorProvider, list: readonly Migration[]): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
  await sql`create table if not exists schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`.execute(tx);
  const [next] = pending(await applied(tx), list);
  if (next === undefined) return true;
  await next.up(tx);
  await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx);
  return false;
}

async function applied(db: QueryExecutorProvider): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db);
  return rows.map((row) => row.name);
}

function pending(names: readonly string[], list: readonly Migration[]): readonly Migration[] {
  const unknown = names.find((name, index) => list[index]?.name !== name);
  if (unknown !== undefined) {
    throw new Error(
      `the database has the migration "${unknown}", which this release does not know: it was opened by a newer release; start that one`,
    );
  }
  return list.slice(names.length);
}
