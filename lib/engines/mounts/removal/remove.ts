import { sql, type Transaction } from 'kysely';
import { type Changed, type Dirty, markDirty } from '../../../store/outbox.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { EngineDefinition, RemoveSecrets } from '../../contract.ts';
import { engineOf } from '../../list.ts';
import { changeTable } from '../insert.ts';
import type { RemovedMount } from './begin.ts';

/** Secrets that go in one transaction. */
const stepSize = 1_000;
/** At most so many steps of one mount: a thousand million secrets are more than a mount can have. */
const stepsMax = 1_000_000;

/** How a mount of a type is emptied. */
export type Emptied = Pick<EngineDefinition, 'type' | 'version' | 'removeSecrets'>;

export interface RemovalParts {
  readonly store: Store;
  /** What can be mounted, auth methods too. */
  readonly engines: readonly Emptied[];
  /** Queues what a step has made dirty. */
  readonly changed: Changed;
}

export interface Removal {
  /** `busy`: another process is at it. */
  readonly state: 'gone' | 'more' | 'busy';
  readonly warnings: readonly string[];
}

/**
 * One step of emptying a mount that was taken out of the table: the next secrets go, with the dirty marks of their associations
 * in the same transaction; after the last ones the row. May be cut off anywhere; the next step of whatever process goes on.
 */
export async function removeMore({ store, engines, changed }: RemovalParts, mount: RemovedMount): Promise<Removal> {
  const remove = engineOf(engines, mount)?.removeSecrets ?? nothingToRemove;
  const step = await store.transaction(async (tx) => {
    const held = await sql`
      select 1 from mounts where id = ${mount.id}::uuid and removed_at is not null for no key update skip locked`.execute(
      tx,
    );
    return held.rows.length === 0 ? undefined : removeStep(tx, mount.id, remove);
  });
  if (step === undefined) return { state: 'busy', warnings: [] };
  const warnings = step.dirty.length === 0 ? [] : await changed(step.dirty);
  if (step.removed === stepSize) return { state: 'more', warnings };
  const rest = await store.transaction((tx) => removeRest(tx, mount.id, remove));
  const others = rest.length === 0 ? [] : await changed(rest);
  return { state: 'gone', warnings: [...warnings, ...others] };
}

/** Steps until the mount is gone, another process is at it, or `signal` ends. */
export async function removeWhile(parts: RemovalParts, mount: RemovedMount, signal: AbortSignal): Promise<Removal> {
  const warnings = new Set<string>();
  let state: Removal['state'] = 'more';
  for (let steps = 0; steps < stepsMax && state === 'more' && !signal.aborted; steps += 1) {
    const removal = await removeMore(parts, mount);
    for (const warning of removal.warnings) warnings.add(warning);
    state = removal.state;
  }
  return { state, warnings: [...warnings] };
}

interface Step {
  readonly removed: number;
  readonly dirty: readonly Dirty[];
}

/** Locked against what requests write that had found the mount before, so that none is left behind without a dirty mark. */
async function removeRest(
  tx: Transaction<Database>,
  mountId: string,
  remove: RemoveSecrets,
): Promise<readonly Dirty[]> {
  await changeTable(tx);
  await sql`select 1 from mounts where id = ${mountId}::uuid for update`.execute(tx);
  const dirty: Dirty[] = [];
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const step = await removeStep(tx, mountId, remove);
    dirty.push(...step.dirty);
    if (step.removed < stepSize) break;
  }
  await tx.deleteFrom('mounts').where('id', '=', mountId).execute();
  return dirty;
}

async function removeStep(tx: Transaction<Database>, mountId: string, remove: RemoveSecrets): Promise<Step> {
  const names = await remove(tx, mountId, stepSize);
  if (names.length === 0) return { removed: 0, dirty: [] };
  const secrets = sql`mount_id = ${mountId}::uuid and secret_name = any(${names}::text[]) and desired = 'present'`;
  return { removed: names.length, dirty: (await markDirty(secrets).execute(tx)).rows };
}

const nothingToRemove: RemoveSecrets = async () => [];
