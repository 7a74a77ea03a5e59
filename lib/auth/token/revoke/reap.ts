import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/** Tokens that one transaction looks at, marks and deletes at most. */
export const reapedPerStepMax = 1_000;

/** What a step has done; nothing of all: there is nothing left to do, or others are at it. */
export interface Reaped {
  /** Marked tokens that were looked at. */
  readonly seen: number;
  /** Children that are marked now. */
  readonly marked: number;
  readonly deleted: number;
}

/**
 * One bounded step of deleting revoked tokens: marks their children, which thereby need no parent any more, and deletes those
 * that have none left. It may be cut off anywhere: what is marked is refused, and the next step of whatever process goes on.
 * The marked are held from the start, so no child comes unseen.
 */
export function reapStep(store: Store): Promise<Reaped> {
  return store.transaction(async (tx) => {
    const held = await sql<{ hash: Buffer }>`
      select hash from tokens where revoked_at is not null order by revoked_at
       limit ${reapedPerStepMax} for update skip locked`.execute(tx);
    const hashes = held.rows.map(({ hash }) => hash);
    if (hashes.length === 0) return { seen: 0, marked: 0, deleted: 0 };
    const { rows } = await sql`
      update tokens set revoked_at = now(), parent = null
        from (select hash from tokens where parent = any(${hashes}::bytea[])
               limit ${reapedPerStepMax} for update skip locked) as child
       where tokens.hash = child.hash returning 1`.execute(tx);
    const gone = await sql`
      delete from tokens
       where hash = any(${hashes}::bytea[])
         and not exists (select 1 from tokens c where c.parent = tokens.hash)
      returning 1`.execute(tx);
    return { seen: hashes.length, marked: rows.length, deleted: gone.rows.length };
  });
}
