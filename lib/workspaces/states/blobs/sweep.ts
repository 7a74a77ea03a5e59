import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/** Nobody has been at it for so long: its sender has gone, and its process as well. */
const abandonedSeconds = 3_600;
/** Longer than an address to send it to is valid. */
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
      select id from ws_state_versions
       where status = 'pending' and created_at < now() - make_interval(secs => ${pendingSeconds})
       limit ${limit} for update skip locked)`.execute(db);
}
