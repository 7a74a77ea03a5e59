import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type Ending, holdEnding } from './held.ts';

/** Children that one transaction marks or makes orphans. */
export const childrenPerStepMax = 1_000;

/** The result of a step. All zero when nothing is left, or when other processes have the rest. */
export interface Reaped {
  /** Tokens that were read. */
  readonly seen: number;
  /** Children that were marked. */
  readonly marked: number;
  readonly deleted: number;
  /** The next step continues after this namespace; empty to start over. */
  readonly after: string;
}

/**
 * One bounded step of deleting tokens. Tokens without children are deleted with everything that belongs to them. For the others, the
 * children and the token itself are marked, which refuses the whole tree at once, and a later step deletes them. A step can be
 * interrupted anywhere; the next step of any process continues.
 *
 * The tokens are locked in an earlier statement than the one that looks for children, so no new child is missed.
 */
export function reapStep(store: Pick<Store, 'transaction'>, ending: Ending = 'revoked', from = ''): Promise<Reaped> {
  return store.transaction(async (tx) => {
    const { hashes, after } = await holdEnding(tx, ending, from);
    if (hashes.length === 0) return { seen: 0, marked: 0, deleted: 0, after };
    const { rows } = await rowsOf({ marked: int, deleted: int })`
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
