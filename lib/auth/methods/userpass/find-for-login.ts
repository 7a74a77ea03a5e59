import { sql } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import { isStorable } from '../../../store/postgres/storable.ts';
import type { Store } from '../../../store/store.ts';
import { lockedOut } from '../../lockout/store.ts';
import { opened, type User, type UserKey, type UserRow } from './store.ts';

export interface FoundForLogin {
  readonly user: User;
  /** It is locked out. */
  readonly isLocked: boolean;
}

/** Finds users who log in; those of the same moment share a statement. Undefined: there is none. */
export function loginFinder({ db, barrier }: Store): (key: UserKey) => Promise<FoundForLogin | undefined> {
  return coalesce(
    async (keys: readonly UserKey[]) => {
      const asked = keys.map(({ mountId, name }, n) => ({ n, mount_id: mountId, name: isStorable(name) ? name : '' }));
      const { rows } = await sql<UserRow & { readonly n: number; readonly locked: boolean }>`
        select i.n, u.password, u.settings, ${lockedOut(sql`u.mount_id`, sql`u.name`)} as locked
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, name text)
          join userpass_users u on u.mount_id = i.mount_id and u.name = i.name`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return keys.map((key, n) => {
        const row = found.get(n);
        return row && { user: opened(barrier, key, row), isLocked: row.locked };
      });
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}
