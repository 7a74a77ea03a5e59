import { type Kysely, sql, type Transaction } from 'kysely';
import { badRequest } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { changeTable } from '../insert.ts';
import { beginMountRemoval } from '../removal/begin.ts';
import { type RemovalParts, removeWhile } from '../removal/remove.ts';

/** Rows removed by one statement, and statements per table in one call. */
const stepSize = 1_000;
const stepsMax = 1_000_000;

export interface NamespaceRemoval extends RemovalParts {
  readonly signal: AbortSignal;
}

/** After the commit every process refuses requests to it. Undefined when it does not exist. @throws AppError `bad-request` */
export function beginRemoval(store: Store, path: string): Promise<string | undefined> {
  return store.transaction(async (tx) => {
    await changeTable(tx);
    const { rows } = await rowsOf({ path: text })`
      select path from namespaces where starts_with(path, ${path}) and path <> ${path} limit 1`.execute(tx);
    if (rows.length > 0) throw badRequest(`child namespaces exist under path ${JSON.stringify(path)}, cannot remove`);
    const marked = await rowsOf({ id: text })`
      update namespaces set deleted_at = coalesce(deleted_at, now()) where path = ${path} returning id`.execute(tx);
    // Group memberships cached for entities of other namespaces are invalidated by this revision.
    await sql`update revisions set revision = revision + 1 where name = 'groups'`.execute(tx);
    return marked.rows[0]?.id;
  });
}

/** Duration of one round of the sweep, in milliseconds. */
const roundMsMax = 20_000;

/** Continues unfinished removals. Never fails; the next round continues with the rest. */
export async function endNamespaces({ log, ...parts }: Omit<NamespaceRemoval, 'signal'> & { log: Log }): Promise<void> {
  const signal = AbortSignal.timeout(roundMsMax);
  const ending = parts.store.db.selectFrom('namespaces').select('id').where('deleted_at', 'is not', null);
  for (const { id } of await ending.execute()) {
    if (signal.aborted) return;
    try {
      await continueRemoval({ ...parts, signal }, id);
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.name : 'unknown' },
        'removing a namespace failed and will be continued',
      );
    }
  }
}

/**
 * Removes the contents of a namespace: first its mounts with their secrets, which marks copies at destinations dirty; then each
 * destination whose copies are removed or could not be removed; then everything else, and last the namespace. Each step may run
 * twice.
 */
export async function continueRemoval(parts: NamespaceRemoval, id: string): Promise<'gone' | 'in-progress'> {
  const { store, signal } = parts;
  const mounts = store.db.selectFrom('mounts').where('namespace_id', '=', id);
  for (const { path } of await mounts.select('path').where('removed_at', 'is', null).execute())
    await store.transaction((tx) => beginMountRemoval(tx, id, path));
  const removed = mounts.select(['id', 'type', 'options']).where('removed_at', 'is not', null);
  for (const mount of await removed.execute()) await removeWhile(parts, mount, signal);
  for (const table of await ownedTables(store.db)) {
    if (!removedElsewhere.includes(table)) await clear(store, table, id, signal);
  }
  const left = await dropDestinations(store, id, signal);
  if (left > 0 || signal.aborted) return 'in-progress';
  return store.transaction((tx) => removeRow(tx, id));
}

/**
 * A request admitted before the deletion began may still be writing; it holds the row of the namespace until its transaction
 * ends. So the row is locked first, and removed only when nothing refers to it any longer.
 */
async function removeRow(tx: Transaction<Database>, id: string): Promise<'gone' | 'in-progress'> {
  await changeTable(tx);
  await sql`select 1 from namespaces where id = ${id} for update`.execute(tx);
  for (const table of await ownedTables(tx)) {
    const left = await sql`select 1 from ${sql.table(table)} where namespace_id = ${id} limit 1`.execute(tx);
    if (left.rows.length > 0) return 'in-progress';
  }
  await tx.deleteFrom('namespaces').where('id', '=', id).execute();
  return 'gone';
}

/** Tables that other steps empty. */
const removedElsewhere = ['mounts', 'destinations'];

/** Every table whose rows belong to a namespace has this column. */
async function ownedTables(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select table_name as name from information_schema.columns
     where column_name = 'namespace_id' and table_schema = current_schema() order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

async function clear({ db }: Store, table: string, id: string, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < stepsMax && !signal.aborted; steps += 1) {
    const { rows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where namespace_id = ${id} limit ${stepSize})) returning 1`.execute(db);
    if (rows.length < stepSize) return;
  }
}

/**
 * Purges destinations as a client's request would, by the sweep and the workers, and forgets those whose purge failed. Returns
 * how many are left.
 */
async function dropDestinations({ db, transaction }: Store, id: string, signal: AbortSignal): Promise<number> {
  await sql`
    update destinations set purge_initiated_at = now() where namespace_id = ${id} and purge_initiated_at is null`.execute(
    db,
  );
  const given = sql`select id from destinations where namespace_id = ${id} and purge_error is not null`;
  for (let more = true; more && !signal.aborted; ) {
    const { rows } = await sql`
      delete from associations where id = any(array(
        select id from associations where destination_id in (${given}) limit ${stepSize})) returning 1`.execute(db);
    more = rows.length === stepSize;
  }
  return transaction(async (tx) => {
    await sql`
      delete from destinations d
       where namespace_id = ${id} and not exists (select 1 from associations a where a.destination_id = d.id)`.execute(
      tx,
    );
    const left = await sql`select 1 from destinations where namespace_id = ${id} limit 1`.execute(tx);
    return left.rows.length;
  });
}
