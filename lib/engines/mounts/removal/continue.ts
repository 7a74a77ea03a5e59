import { sql } from 'kysely';
import { outageOf } from '../../../core/log/outage.ts';
import type { Log } from '../../../core/log.ts';
import type { Store } from '../../../store/store.ts';
import type { RemovalInProgress } from '../../contract.ts';
import type { RemovedMount } from './begin.ts';
import { type RemovalParts, removeMore } from './remove.ts';

/** Mounts of which one step is made before the order is decided anew. */
const turnMax = 64;

/**
 * Goes on emptying mounts that were disabled, until none is left, others are at what is left, or `signal` ends. Namespaces take
 * turns, and in each of them its mounts. A mount that fails does not hold up the others. Answers how many are gone.
 */
export async function continueRemovals(
  parts: RemovalParts & { readonly log: Log },
  signal: AbortSignal,
): Promise<number> {
  let gone = 0;
  for (let round = 0, progress = true; progress && !signal.aborted; round += 1) {
    progress = false;
    for (const mount of await nextTurn(parts.store, round)) {
      if (signal.aborted) break;
      const state = await stateAfterStep(parts, mount);
      if (state === 'gone') gone += 1;
      progress ||= state === 'gone' || state === 'more';
    }
  }
  return gone;
}

async function stateAfterStep(parts: RemovalParts & { readonly log: Log }, mount: RemovedMount) {
  try {
    return (await removeMore(parts, mount)).state;
  } catch (cause) {
    parts.log.warn({ mount: mount.id, ...(outageOf(cause) ?? { error: String(cause) }) }, 'a mount is emptied later');
    return 'failed' as const;
  }
}

/** Later rounds begin with later mounts, so that more of them than one turn takes are all come to. */
async function nextTurn({ db }: Pick<Store, 'db'>, round: number): Promise<readonly RemovedMount[]> {
  const { rows } = await sql<RemovedMount>`
    with removed as (
      select id, type, options, removed_at, row_number() over (partition by namespace_id order by removed_at, id) as place
        from mounts where removed_at is not null
    ),
    ordered as (select *, row_number() over (order by place, removed_at, id) - 1 as number, count(*) over () as every from removed)
    select id, type, options from ordered
     order by (number + every - (${round}::bigint * ${turnMax}::int) % every) % every limit ${turnMax}::int`.execute(
    db,
  );
  return rows;
}

/** Removals of one namespace in the order in which they began; a bounded number. */
export async function listRemovals(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
): Promise<readonly RemovalInProgress[]> {
  const { rows } = await sql<RemovalInProgress>`
    select accessor, id as uuid, removed_path as path, type, removed_at from mounts
     where namespace_id = ${namespaceId} and removed_at is not null order by removed_at, id limit ${shownMax}::int`.execute(
    db,
  );
  return rows;
}

const shownMax = 10_000;
