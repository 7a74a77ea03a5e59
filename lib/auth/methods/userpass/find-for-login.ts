import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type LoginName, loginName } from '../../lockout/aliases.ts';
import type { FoundName } from '../../lockout/lockout.ts';
import { lockedOut } from '../../lockout/store.ts';
import { opened, type User, type UserKey, userColumns } from './store.ts';

export interface FoundForLogin extends FoundName {
  /** Undefined when the user does not exist. */
  readonly user: User | undefined;
  /** Whether the cost of the user's hash is not stored yet. */
  readonly lacksCost: boolean;
  /** The highest cost of a password hash at the mount; 0 when none is stored. */
  readonly costMax: number;
}

type Found = RowOf<typeof foundColumns>;

const foundColumns = {
  n: int,
  /** These are null when the user does not exist. */
  password: nullable(userColumns.password),
  settings: nullable(userColumns.settings),
  cost: nullable(int),
  locked: bool,
  flooded: bool,
  cost_max: int,
};

/** Finds users who log in, in the same way whether they exist or not. Concurrent logins share a statement. */
export function loginFinder({ db, barrier }: Store): (key: UserKey) => Promise<FoundForLogin> {
  return coalesce(
    async (keys: readonly UserKey[]) => {
      const names = keys.map(({ mountId, name }) => loginName(barrier, mountId, name));
      const asked = names.map(({ mountId, ...name }, n) => ({ n, mount_id: mountId, ...name }));
      const { rows } = await rowsOf(foundColumns)`
        select i.n, u.password, u.settings, u.cost,
               ${lockedOut(sql`i.mount_id`, sql`case when u.name is null then i.unknown else u.name end`)} as locked,
               ${lockedOut(sql`i.mount_id`, sql`i.flood`)} as flooded,
               coalesce((select max(o.cost) from userpass_users o where o.mount_id = i.mount_id), 0) as cost_max
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
               as i (n int, mount_id uuid, known text, unknown text, flood text)
          left join userpass_users u on u.mount_id = i.mount_id and u.name = i.known`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return names.map((name, n) => shown(barrier, name, found.get(n)));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}

function shown(barrier: Store['barrier'], name: LoginName, row: Found | undefined): FoundForLogin {
  const { password, settings, locked = false, flooded = false, cost_max: costMax = 0 } = row ?? {};
  const key = { mountId: name.mountId, name: name.known };
  const user = password && settings ? opened(barrier, key, { password, settings }) : undefined;
  const lacksCost = user !== undefined && row?.cost === null;
  return { name, user, isKnown: user !== undefined, lacksCost, isLocked: locked, isFlooded: flooded, costMax };
}
