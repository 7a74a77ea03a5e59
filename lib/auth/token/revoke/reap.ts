import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { type Ending, holdEnding } from './held.ts';

/** Children that one transaction marks, or makes orphans. */
export const childrenPerStepMax = 1_000;

/** What a step has done; nothing of all: there is nothing left to do, or others are at it. */
export interface Reaped {
  /** Tokens that were looked at. */
  readonly seen: number;
  /** Children that are marked now. */
  readonly marked: number;
  readonly deleted: number;
  /** The namespace behind which the next step goes on; empty: from the first. */
  readonly after: string;
}

/**
 * One bounded step of deleting tokens: those without children go, with what belongs to them. The children of the others are marked,
 * whereby they need no parent any more, and the others stay for a later step, marked as well: what has ended is refused with all
 * below it from that moment. It may be cut off anywhere; the next step of whatever process goes on.
 *
 * The tokens are held by an earlier statement than the one that looks for children, so no child comes unseen.
 */
export function reapStep(store: Pick<Store, 'transaction'>, ending: Ending = 'revoked', from = ''): Promise<Reaped> {
  return store.transaction(async (tx) => {
    const { hashes, after } = await holdEnding(tx, ending, from);
    if (hashes.length === 0) return { seen: 0, marked: 0, deleted: 0, after };
    const { rows } = await sql<{ marked: number; deleted: number }>`
      with marked as (
        update tokens set revoked_at = now(), parent = null
          from (select hash from tokens where parent = any(${hashes}::bytea[]) and not hash = any(${hashes}::bytea[])
                 limit ${childrenPerStepMax}::int for update skip locked) as child
         where tokens.hash = child.hash returning 1
      ),
      kept as (
        update tokens set revoked_at = now()
         where hash = any(${hashes}::bytea[]) and revoked_at is null
           and exists (select 1 from tokens c where c.parent = tokens.hash)
      ),
      deleted as (
        delete from tokens
         where hash = any(${hashes}::bytea[]) and not exists (select 1 from tokens c where c.parent = tokens.hash) returning 1
      )
      select (select count(*)::int from marked) as marked, (select count(*)::int from deleted) as deleted`.execute(tx);
    const [{ marked, deleted } = { marked: 0, deleted: 0 }] = rows;
    return { seen: hashes.length, marked, deleted, after };
  });
}
