import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Each lock of a workspace has a number, and a state version says under which it was made: it takes its files under that lock
 * alone. What waits in a workspace without a lock waits for nothing.
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
