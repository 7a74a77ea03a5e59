import { type QueryExecutorProvider, sql } from 'kysely';
import { conflict } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { holdsJob } from '../../access/job.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

type Lock = Pick<WorkspaceRow, 'lock_kind' | 'lock_holder'>;

/** The caller that wants to write state, and the run it writes for. */
export interface Writer {
  readonly caller: ApiCaller;
  readonly levels: Pick<Levels, 'runs'>;
  readonly runId: string | null;
}

/**
 * Only the holder of the lock may write state: the caller itself, or the agent working on the run that holds the lock, if the request
 * names that run. Naming the run is not sufficient.
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

/** Kinds of lock holders in error texts. */
const titles = { users: 'User', teams: 'Team', runs: 'Run' } as const;

/** Whether the caller is the agent that reported the current plan or apply of the run, and still has the right to apply. */
async function isAgentOf(
  db: QueryExecutorProvider,
  holder: string | null,
  { caller, levels, runId }: Writer,
): Promise<boolean> {
  if (caller.kind === 'run') return runId === holder && caller.id === holder && holdsJob(db, caller);
  if (runId === null || runId !== holder || levels.runs < runLevels.apply) return false;
  const { rows } = await sql`
    select 1 from ws_runs
     where id = ${runId}
       and case status when 'planning' then plan when 'applying' then apply end->>'agent' = ${caller.id}`.execute(db);
  return rows.length > 0;
}
