import { type QueryExecutorProvider, sql } from 'kysely';
import { conflict } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

type Lock = Pick<WorkspaceRow, 'lock_kind' | 'lock_holder'>;

/** Who wants to write state, and for which run. */
export interface Writer {
  readonly caller: ApiCaller;
  readonly levels: Pick<Levels, 'runs'>;
  readonly runId: string | null;
}

/**
 * State comes from the holder of the lock alone: the caller, or the agent that is at work on the run that the request names and
 * that has the lock (reference, workspaces 4). To name the run is not enough.
 *
 * @throws ApiError 409
 */
export async function mustHoldLock(
  db: QueryExecutorProvider,
  { lock_kind, lock_holder }: Lock,
  writer: Writer,
): Promise<void> {
  if (lock_kind === null) throw conflict('This workspace is not locked and will only accept state uploads when locked');
  if (lock_kind === 'runs' ? await isAgentOf(db, lock_holder, writer) : isHolder({ lock_kind, lock_holder }, writer))
    return;
  throw conflict(
    `This workspace is locked by ${titles[lock_kind]} ${lock_holder} and will only accept state uploads from them while locked.`,
  );
}

const callerKinds = { users: 'user', teams: 'team' } as const;

const isHolder = (
  { lock_kind, lock_holder }: { readonly lock_kind: 'users' | 'teams'; readonly lock_holder: string | null },
  { caller }: Writer,
): boolean => caller.kind === callerKinds[lock_kind] && caller.id === lock_holder;

/** Holders of locks as texts name them. */
const titles = { users: 'User', teams: 'Team', runs: 'Run' } as const;

/** Whether the caller is the agent that reported the plan or the apply of the run as running, and may still apply runs. */
async function isAgentOf(
  db: QueryExecutorProvider,
  holder: string | null,
  { caller, levels, runId }: Writer,
): Promise<boolean> {
  if (runId === null || runId !== holder || levels.runs < runLevels.apply) return false;
  const { rows } = await sql`
    select 1 from ws_runs
     where id = ${runId}
       and case status when 'planning' then plan when 'applying' then apply end->>'agent' = ${caller.id}`.execute(db);
  return rows.length > 0;
}
