import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/** Nobody has been at it for so long: its sender has gone, and its process as well. */
const abandonedSeconds = 3_600;
/** As long as an address to send it to is valid; what is arriving then may arrive. */
const pendingSeconds = 26 * 3_600;

/**
 * Drops files that did not arrive whole, and gives up state versions whose file has never come; so many of each at most.
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
