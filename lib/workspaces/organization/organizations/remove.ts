import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { dropEventsOf } from '../audit-trail/store.ts';

/** Of one organization, in one statement: a transaction of all its workspaces would hold locks for minutes. */
const workspacesPerStep = 200;

/**
 * Removes an organization. It is gone, and its name is free, from the first step on; what it had is removed step by step, and by
 * the sweep where the request ends too early.
 */
export async function removeOrganization({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { organization, isOwner } = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(isOwner);
  await store.transaction((tx) => hide(tx, organization.id));
  while (!call.signal.aborted && (await removeStep(store, organization.id)));
}

/** Takes steps of removals that nobody finished, at most so many; answers how many it took. */
export async function finishRemovals(store: Pick<Store, 'db'>, stepsMax: number): Promise<number> {
  let steps = 0;
  for (; steps < stepsMax; steps += 1) {
    const { rows } = await sql<{ id: string }>`
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

/** Answers whether something is left. */
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
