import { sql } from 'kysely';
import type { Store } from '#store/store.ts';

/** An upload without activity for this long has lost its sender and its process. */
const abandonedSeconds = 3_600;
/** At least as long as upload addresses are valid. An upload in progress then may still finish. */
const pendingSeconds = 26 * 3_600;

/**
 * Deletes incomplete files and discards state versions without an uploaded file, at most `limit` of each.
 */
export async function dropAbandoned({ db }: Pick<Store, 'db'>, limit: number): Promise<void> {
  await sql`
    delete from ws_blobs where id in (
      select id from ws_blobs where not whole and touched_at < now() - make_interval(secs => ${abandonedSeconds})
       limit ${limit} for update skip locked)`.execute(db);
  await sql`
    update ws_state_versions set status = 'discarded' where id in (
      select s.id from ws_state_versions s
       where s.status = 'pending' and s.created_at < now() - make_interval(secs => ${pendingSeconds})
         and not exists (select from ws_blobs b where b.workspace_id = s.workspace_id and b.kind = 'state' and not b.whole)
       limit ${limit} for update skip locked)`.execute(db);
}
