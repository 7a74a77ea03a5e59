import { sql } from 'kysely';
import { bytea } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** The configuration of a mount as it was passed to `writeConfig`. Undefined when the mount has none. */
export async function readConfig({ db, barrier }: Store, mountId: string): Promise<object | undefined> {
  const { rows } = await rowsOf({ config: bytea })`
    select config from auth_configs where mount_id = ${mountId}`.execute(db);
  return rows[0] && openConfig(barrier, mountId, rows[0].config);
}

/** Replaces the configuration of a mount. */
export async function writeConfig(store: Store, mountId: string, config: object): Promise<void> {
  const sealed = store.barrier.seal(JSON.stringify(config), aad(mountId));
  await sql`
    insert into auth_configs (mount_id, config, updated_at) values (${mountId}, ${sealed}, now())
    on conflict (mount_id) do update set config = excluded.config, updated_at = excluded.updated_at`.execute(store.db);
}

export const openConfig = (barrier: Store['barrier'], mountId: string, sealed: Buffer): object =>
  JSON.parse(barrier.open(sealed, aad(mountId)).toString());

const aad = (mountId: string): string => `auth_configs/${mountId}`;
