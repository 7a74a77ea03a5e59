import { sql, type Transaction } from 'kysely';
import { engineOf } from '#path/contract/engine.ts';
import { type Dirty, type EnqueueDirty, markDirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { MountType, RemoveSecrets } from '../contract/mounts.ts';
import { changeTable } from '../insert.ts';
import { beginMountRemoval, type RemovedMount } from './begin.ts';

/** Secrets removed in one transaction. */
const stepSize = 1_000;
/** Upper bound of steps for one mount; a thousand million secrets are more than a mount can hold. */
const stepsMax = 1_000_000;

/** The part of a mount type that removes the secrets of its mounts. */
export type Emptied = Pick<MountType, 'type' | 'version' | 'removeSecrets'>;

export interface RemovalParts {
  readonly store: Store;
  /** All mountable types, including auth methods. */
  readonly engines: readonly Emptied[];
  /** Queues the associations that a step marked dirty. */
  readonly changed: EnqueueDirty;
}

export interface Removal {
  /** `busy`: another process is removing it. */
  readonly state: 'gone' | 'more' | 'busy';
  readonly warnings: readonly string[];
}

/**
 * Removes the next secrets of a disabled mount and marks their associations dirty in the same transaction; after the last
 * secrets it removes the row. May be interrupted anywhere; the next step of any process continues.
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

/** Repeats steps until the mount is removed, another process is removing it, or `signal` aborts. */
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

/** Locks the row against requests that resolved the mount earlier, so that no secret remains without a dirty mark. */
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

/** How long the request itself removes content, in milliseconds. The sweep removes the rest. */
const requestMsMax = 1_000;

/**
 * Disables a mount: its path is free after the first commit. The call removes its content for a limited time, and the sweep
 * removes the rest. Returns warnings.
 */
export async function disableMount(
  parts: RemovalParts,
  namespaceId: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(requestMsMax)]);
  const mount = await parts.store.transaction((tx) => beginMountRemoval(tx, namespaceId, path));
  if (mount === undefined) return [];
  const { state, warnings } = await removeWhile(parts, mount, inTime);
  return state === 'gone' ? warnings : [...warnings, continues];
}

const continues =
  'the mount is disabled; its content is being removed in the background, and sys/removals lists it until then';
