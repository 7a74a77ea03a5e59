import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Each lock of a workspace has a number, and a state version records the lock under which it was created: its files can be uploaded only
 * under that lock. State versions that are pending in an unlocked workspace can no longer be completed.
 */
export async function lockEpochs(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table ws_workspaces add column lock_epoch bigint not null default 0',
  'alter table ws_state_versions add column lock_epoch bigint not null default 0',
  `update ws_state_versions s set status = 'discarded' from ws_workspaces w
    where s.status = 'pending' and w.id = s.workspace_id and w.lock_kind is null`,
];
