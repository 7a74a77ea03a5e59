import { sql, type Transaction } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { type Changed, type Dirty, markDirty } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import type { EngineDefinition, RemoveSecrets } from '../contract.ts';
import { engineOf } from '../list.ts';
import { changeTable } from './insert.ts';

/** Secrets that go in one transaction. */
const stepSize = 1_000;
/** At most so many steps in one call: a thousand million secrets are more than a mount can have. */
const stepsMax = 1_000_000;

/**
 * Removes a mount: first its secrets, step by step, each with its dirty marks in the same transaction, then the mount with
 * what was written meanwhile. Stopped at any point, the next call goes on.
 */
export async function removeMount(
  { store, engines }: RemovalParts,
  path: string,
  changed: Changed,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const mounts = store.db.selectFrom('mounts').select(['id', 'type', 'options']);
  const row = await mounts.where('path', '=', path).executeTakeFirst();
  if (row === undefined) return [];
  const remove = engineOf(engines, row)?.removeSecrets ?? nothingToRemove;
  const warnings = new Set<string>();
  const notify = async ({ dirty }: Step) => {
    for (const warning of dirty.length === 0 ? [] : await changed(dirty)) warnings.add(warning);
  };
  await inSteps(() => store.transaction((tx) => removeStep(tx, row.id, remove)), notify, signal);
  const last = await store.transaction((tx) => removeRest(tx, row.id, remove, signal));
  for (const step of last) await notify(step);
  return [...warnings];
}

/** How a mount of a type is emptied. */
export type Emptied = Pick<EngineDefinition, 'type' | 'version' | 'removeSecrets'>;

interface RemovalParts {
  readonly store: Store;
  /** What can be mounted, auth methods too. */
  readonly engines: readonly Emptied[];
}

interface Step {
  readonly removed: number;
  readonly dirty: readonly Dirty[];
}

async function inSteps(
  step: () => Promise<Step>,
  done: (step: Step) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let steps = 0; steps < stepsMax; steps += 1) {
    if (signal.aborted) break;
    const made = await step();
    await done(made);
    if (made.removed < stepSize) return;
  }
  throw new AppError('unavailable', 'the mount has more secrets than could be removed in time: disable it again');
}

/** Locked against new secrets, so that none is left behind without a dirty mark. */
async function removeRest(
  tx: Transaction<Database>,
  mountId: string,
  remove: RemoveSecrets,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  await changeTable(tx);
  await sql`select 1 from mounts where id = ${mountId}::uuid for update`.execute(tx);
  const made: Step[] = [];
  const remember = async (step: Step) => void made.push(step);
  await inSteps(() => removeStep(tx, mountId, remove), remember, signal);
  await tx.deleteFrom('mounts').where('id', '=', mountId).execute();
  return made;
}

async function removeStep(tx: Transaction<Database>, mountId: string, remove: RemoveSecrets): Promise<Step> {
  const names = await remove(tx, mountId, stepSize);
  if (names.length === 0) return { removed: 0, dirty: [] };
  const secrets = sql`mount_id = ${mountId}::uuid and secret_name = any(${names}::text[]) and desired = 'present'`;
  return { removed: names.length, dirty: (await markDirty(secrets).execute(tx)).rows };
}

const nothingToRemove: RemoveSecrets = async () => [];
