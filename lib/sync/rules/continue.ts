import { sql } from 'kysely';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import type { Queue } from '#queue/contract.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import { oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { loadSettings } from '../model/settings.ts';
import { type Step, type StepParts, walkStep } from './walk.ts';
import { forgetWork, recheckStep, workStep } from './work.ts';

export interface ContinueParts extends StepParts {
  readonly store: Store;
  readonly queue: Pick<Queue, 'pendingCount'>;
  readonly log: Log;
  /** Queues the associations that a step has changed. */
  readonly changed: EnqueueDirty;
}

/** Units that get one step each before the order is computed again. */
const turnMax = 64;
/** Associations that one step changes. */
const changesMax = 500;
/** How often the rights of the owner of a suspended rule are looked at. */
const recheckSecondsMin = 5;

/**
 * Continues the rules step by step until none can go on, or `signal` aborts. Namespaces take turns, and so do the rules and mounts within
 * a namespace. Each step may run twice, and concurrently with another sweep. Returns how many associations were changed.
 */
export async function continueRules(parts: ContinueParts, signal: AbortSignal): Promise<number> {
  let changed = 0;
  for (let isMoving = true; isMoving && !signal.aborted; ) {
    isMoving = false;
    for (const unit of await nextTurn(parts.store)) {
      if (signal.aborted) break;
      const step = await oneStep(parts, unit);
      changed += step.dirty.length;
      isMoving ||= step.moved;
    }
  }
  await forgetWork(parts.store);
  return changed;
}

interface Unit {
  readonly kind: 'walk' | 'recheck' | 'work';
  /** Of the rule; with `work`, of the mount. */
  readonly id: string;
}

async function oneStep(parts: ContinueParts, unit: Unit): Promise<Step> {
  try {
    const { queue_capacity } = await loadSettings(parts.store);
    const most = Math.min(changesMax, Math.max(0, queue_capacity - (await parts.queue.pendingCount())));
    const step = await steps[unit.kind](parts, unit.id, most);
    // What the queue does not take now stays dirty, and the sweep queues it.
    if (step.dirty.length > 0) await parts.changed(step.dirty);
    return step;
  } catch (cause) {
    if (outageOf(cause) !== undefined) throw cause;
    parts.log.error({ [unit.kind]: unit.id, ...errorLocation(cause) }, 'a step of standing rules failed unexpectedly');
    await pass(parts.store, unit);
    return { dirty: [], moved: false };
  }
}

const steps = { walk: walkStep, recheck: recheckStep, work: workStep } satisfies Record<
  Unit['kind'],
  (parts: StepParts, id: string, most: number) => Promise<Step>
>;

/** Otherwise every round would begin with the same unit. */
async function pass({ db }: Pick<Store, 'db'>, { kind, id }: Unit): Promise<void> {
  const own = kind === 'work' ? sql`mount_id = ${id}::uuid` : sql`id = ${id}::bigint`;
  await sql`update sync_rules set turned_at = clock_timestamp() where ${own}`.execute(db);
}

async function nextTurn({ db }: Pick<Store, 'db'>): Promise<readonly Unit[]> {
  const { rows } = await rowsOf({ kind: oneOf('walk', 'recheck', 'work'), id: text })`
    with units as (
      select case state when 'suspended' then 'recheck' else 'walk' end as kind, id::text as id, namespace_id, turned_at from sync_rules
       where case state when 'suspended'
                  then denied_secret is not null and turned_at < now() - ${recheckSecondsMin}::int * interval '1 second'
                  else walk is not null end
      union all
      select 'work', mount_id::text, min(namespace_id), min(turned_at) from sync_rules r
       where exists (select 1 from sync_rule_work w where w.mount_id = r.mount_id) group by mount_id
    )
    select kind, id from units
     order by row_number() over (partition by namespace_id order by turned_at, id), turned_at, id
     limit ${turnMax}::int`.execute(db);
  return rows;
}
