import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { AppError } from '#core/errors.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { isRepeatable } from './postgres/failure.ts';
import { serverVersion } from './postgres/version.ts';
import { bool, text } from './sql/kinds.ts';
import { rowsOf } from './sql/rows.ts';

/** Any number that no other program locks in this database. */
const lockKey = 7_294_381_165;
/** How often a process checks whether another process has finished its step, and the limit for all steps together. */
const pollEveryMs = 100;
const totalMsMax = 900_000;

/**
 * Brings the schema to the newest step. Any number of processes may do this at once: each takes the lock, finds the next step
 * and runs it in the same transaction, so every step runs once and a crash never leaves half a step. A step that runs outside
 * a transaction needs a second connection beside the one that holds the lock.
 *
 * @throws Error when a newer release has migrated the database: continuing could write data that the newer release cannot read.
 */
export async function migrate<DB>(db: Kysely<DB>, list: readonly Migration[] = migrations): Promise<void> {
  const deadline = performance.now() + totalMsMax;
  while (performance.now() < deadline) {
    const transaction = db.transaction().setIsolationLevel('read committed');
    const outcome = await transaction.execute((tx) => nextStep(db, tx, list)).catch(retryIfRepeatable);
    if (outcome === 'up-to-date') return;
    if (outcome === 'busy') await delay(pollEveryMs);
  }
  throw new Error('the database migrations did not finish in time');
}

/** True when all steps have been applied. Takes no lock, so a start costs two short queries. */
export async function isMigrated(db: QueryExecutorProvider, list: readonly Migration[] = migrations): Promise<boolean> {
  const { rows } = await rowsOf({ exists: bool })`
      select to_regclass('schema_migrations') is not null as exists`.execute(db);
  if (rows[0]?.exists !== true) return false;
  return pending(await applied(db), list).length === 0;
}

/** `busy`: another process is running a step. */
type Outcome = 'up-to-date' | 'done' | 'busy';

/** A step that was rolled back because of concurrent work is tried again. */
function retryIfRepeatable(error: unknown): Outcome {
  if (isRepeatable(error)) return 'busy';
  throw error;
}

async function nextStep<DB>(db: Kysely<DB>, tx: QueryExecutorProvider, list: readonly Migration[]): Promise<Outcome> {
  if (!(await isLocked(tx))) return 'busy';
  await sql`create table if not exists schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`.execute(tx);
  const [next] = pending(await applied(tx), list);
  if (next === undefined) return 'up-to-date';
  const work = next.outsideTransaction === true ? runOutside(db, tx, next) : next.up(tx);
  await work.catch(async (error: unknown) => {
    throw stepFailure(next, await serverVersion(db).catch(() => ''), error);
  });
  await sql`insert into schema_migrations (name) values (${next.name})`.execute(tx);
  return 'done';
}

/** Does not wait for the lock: the holder may be building an index, and that build would wait for our open transaction. */
async function isLocked(tx: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await rowsOf({ locked: bool })`select pg_try_advisory_xact_lock(${lockKey}) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/**
 * The transaction stays open only to hold the lock while the step runs. Since it is idle and `read committed`, it holds no
 * snapshot that an index build would have to wait for.
 */
async function runOutside<DB>(db: Kysely<DB>, tx: QueryExecutorProvider, step: Migration): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  await step.up(db);
}

/** The message names the step that failed and the server version. */
function stepFailure({ name }: Migration, version: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `the migration "${name}" failed on PostgreSQL ${version}: ${why}`;
  return cause instanceof AppError ? new AppError(cause.kind, text, { cause }) : new Error(text, { cause });
}

async function applied(db: QueryExecutorProvider): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`select name from schema_migrations order by name`.execute(db);
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
