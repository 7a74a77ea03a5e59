import { sql } from 'kysely';
import { kvV2 } from '#engines/kv/v2/index.ts';
import type { Store } from '#store/store.ts';
import { calling, engineParts, existence, mounted } from '../../setup.ts';

/** An empty kv mount of version 2. */
export async function kv(poolSize?: number) {
  const setup = await engineParts(poolSize);
  const mount = await mounted(setup.mounts, 'secret/', { version: '2' });
  const engine = kvV2.open(setup.parts);
  const { current } = kvV2.synced.open(setup.parts);
  return {
    ...setup,
    mount,
    engine,
    current: (name: string) => current(mount.id, name),
    call: calling(engine, mount),
    exists: (pattern: string, path: string) => existence(engine, mount, pattern, path),
  };
}

/** Resolves when a statement waits for a lock of another transaction. */
export async function untilLockWait({ db }: Store): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length > 0) return;
  }
  throw new Error('no statement waits');
}
