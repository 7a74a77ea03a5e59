import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { pick } from '#store/sql/columns.ts';
import { text, timestamptz, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { mountsTable } from '#store/tables/mounts.ts';
import type { RemovalInProgress } from '../contract/mounts.ts';
import { type RemovedMount, removedMountColumns } from './begin.ts';
import { type RemovalParts, removeMore } from './remove.ts';

/** Mounts that get one step each before the order is decided again. */
const turnMax = 64;

/**
 * Continues removing disabled mounts until none is left, other processes hold the rest, or `signal` aborts. Namespaces take turns,
 * and so do the mounts within each. A mount that fails does not delay the others. Returns how many were removed.
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
    parts.log.warn(
      { mount: mount.id, ...(outageOf(cause) ?? { error: String(cause) }) },
      'emptying a mount failed and will be repeated',
    );
    return 'failed' as const;
  }
}

/** Later rounds begin with later mounts, so that every mount gets its turn when there are more than one round takes. */
async function nextTurn({ db }: Pick<Store, 'db'>, round: number): Promise<readonly RemovedMount[]> {
  const { rows } = await rowsOf(removedMountColumns)`
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

const removalColumns = { ...pick(mountsTable, 'accessor', 'type'), uuid, path: text, removed_at: timestamptz };

/** Removals of one namespace in the order in which they began, up to a maximum. */
export async function listRemovals(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
): Promise<readonly RemovalInProgress[]> {
  const { rows } = await rowsOf(removalColumns)`
    select accessor, id as uuid, removed_path as path, type, removed_at from mounts
     where namespace_id = ${namespaceId} and removed_at is not null order by removed_at, id limit ${shownMax}::int`.execute(
    db,
  );
  return rows;
}

const shownMax = 10_000;
