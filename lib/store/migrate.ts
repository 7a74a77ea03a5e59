import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { isRepeatable } from './postgres/failure.ts';
import { serverVersion } from './postgres/version.ts';

/** Any number that no other program locks in this database. */
const lockKey = 7_294_381_165;
/** How often a process asks whether another one is through with its step, and for how long. */
const askAgainMs = 100;
const waitMsMax = 900_000;

/**
 * Brings the schema to the newest step. Any number of processes may do this at once: each step takes the lock, looks what
 * is still to do, and does one step in the same transaction, so a step runs once and a crash leaves whole steps. A step that
 * runs outside of a transaction needs a second connection beside the one that holds the lock.
 *
 * @throws Error when the database was migrated by a newer release: going on would write what that release cannot read.
 */
export async function migrate<DB>(db: Kysely<DB>, list: readonly Migration[] = migrations): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (performance.now() < deadline) {
    const transaction = db.transaction().setIsolationLevel('read committed');
    const outcome = await transaction.execute((tx) => nextStep(db, tx, list)).catch(retried);
    if (outcome === 'through') return;
    if (outcome === 'busy') await delay(askAgainMs);
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

/** `busy`: another process is at it. */
type Outcome = 'through' | 'done' | 'busy';

/** A step that was rolled back for no fault of its own is taken up again. */
function retried(error: unknown): Outcome {
  if (isRepeatable(error)) return 'busy';
  throw error;
}

async function nextStep<DB>(db: Kysely<DB>, tx: QueryExecutorProvider, list: readonly Migration[]): Promise<Outcome> {
  if (!(await isLocked(tx))) return 'busy';
  await sql`create table if not exists schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`.execute(tx);
  const [next] = pending(await applied(tx), list);
  if (next === undefined) return 'through';
  const work = next.outsideTransaction === true ? beside(db, tx, next) : next.up(tx);
  await work.catch(async (error: unknown) => {
    throw inStep(next, await serverVersion(db).catch(() => ''), error);
  });
  await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx);
  return 'done';
}

/** Asks and does not wait: who waits in a transaction is waited for by the building of an index, which holds the lock. */
async function isLocked(tx: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${lockKey}) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/**
 * The transaction stays open for its lock alone, for as long as the step takes. Idle and `read committed`, it keeps no
 * snapshot, for which the building of an index would wait.
 */
async function beside<DB>(db: Kysely<DB>, tx: QueryExecutorProvider, step: Migration): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  await step.up(db);
}

/** Says which step has failed, and on which server. */
function inStep({ name }: Migration, version: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `the migration "${name}" failed on PostgreSQL ${version}: ${why}`;
  return cause instanceof AppError ? new AppError(cause.kind, text, { cause }) : new Error(text, { cause });
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
