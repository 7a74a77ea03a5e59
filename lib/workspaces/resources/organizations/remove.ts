import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { dropEventsOf } from '../audit-trail/store.ts';

/** Workspaces deleted by one statement: deleting all of them in one transaction would hold locks for minutes. */
const workspacesPerStep = 200;

/**
 * Deletes an organization. The first step hides it and frees its name; its contents are deleted step by step, if necessary by the
 * sweep when the request ends too early.
 */
export async function removeOrganization(store: Store, id: string, signal: AbortSignal): Promise<undefined> {
  await store.transaction((tx) => hide(tx, id));
  while (!signal.aborted && (await removeStep(store, id)));
}

/** Continues unfinished removals by at most `stepsMax` steps and returns how many it took. */
export async function finishRemovals(store: Pick<Store, 'db'>, stepsMax: number): Promise<number> {
  let steps = 0;
  for (; steps < stepsMax; steps += 1) {
    const { rows } = await rowsOf({ id: text })`
      select id from ws_organizations where removed_at is not null order by removed_at limit 1`.execute(store.db);
    const [row] = rows;
    if (row === undefined) break;
    await removeStep(store, row.id);
  }
  return steps;
}

async function hide(tx: Transaction<Database>, id: string): Promise<void> {
  await sql`update ws_organizations set removed_at = now(), name = id where id = ${id}`.execute(tx);
  await sql`
    delete from ws_tokens
     where organization_id = ${id} or team_id in (select id from ws_teams where organization_id = ${id})`.execute(tx);
}

/** Deletes a part of an organization and returns whether more is left. */
async function removeStep({ db }: Pick<Store, 'db'>, id: string): Promise<boolean> {
  if ((await removeWorkspaces(db, id)) > 0) return true;
  if ((await dropEventsOf(db, id)) > 0) return true;
  await sql`delete from ws_organizations where id = ${id} and removed_at is not null`.execute(db);
  return false;
}

async function removeWorkspaces(db: QueryExecutorProvider, id: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ws_workspaces
     where id in (select id from ws_workspaces where organization_id = ${id} limit ${workspacesPerStep} for update skip locked)`.execute(
    db,
  );
  return Number(numAffectedRows);
}
