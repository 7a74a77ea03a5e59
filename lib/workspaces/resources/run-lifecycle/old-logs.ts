import { sql } from 'kysely';
import type { Store } from '#store/store.ts';
import { isActive } from './store.ts';

/**
 * Deletes at most `countMax` logs of ended runs to which nothing was added for this many days; 0 keeps them. The current run of a workspace keeps
 * its logs. Returns whether there may be more.
 */
export async function dropOldLogs({ db }: Pick<Store, 'db'>, days: number, countMax: number): Promise<boolean> {
  if (days === 0) return false;
  const { rows } = await sql`
    delete from ws_blobs where id in (
      select b.id from ws_blobs b
       where b.kind = 'log' and b.touched_at < now() - make_interval(days => ${days})
         and not exists (select 1 from ws_runs r where r.workspace_id = b.workspace_id
                            and (r.plan_log_id = b.id or r.apply_log_id = b.id)
                            and (${isActive('r')} or exists (
                              select 1 from ws_workspaces w where w.id = r.workspace_id and w.current_run_id = r.id)))
       order by b.touched_at limit ${countMax} for update skip locked) returning 1`.execute(db);
  return rows.length === countMax;
}
