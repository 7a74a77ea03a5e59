import type { Transaction } from 'kysely';
import { AppError, badField } from '#core/errors.ts';
import type { Operation } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { loadSettings, type SyncSettings } from '../../model/settings.ts';
import { forgetFailedPurge, loadDestination, refuseDuringPurge } from '../destinations/store.ts';
import type { DestinationRecord } from '../destinations/view.ts';
import type { SyncParts } from '../parts.ts';
import { refuseNeverSynced } from '../rights/never-synced.ts';
import {
  type AssociationKey,
  endAssociations,
  insertAssociation,
  isMountedThere,
  type NewAssociation,
  removeTargets,
  renewAssociation,
  setTarget,
} from './change-store.ts';
import { withReservation } from './reservation.ts';

/** The result of a change. Without operations there was nothing to do. */
export interface AssociationChanged {
  readonly destination: DestinationRecord;
  readonly operations: readonly Operation[];
  readonly settings: SyncSettings;
}

/** A change in two steps: `look` returns the operations it will need, so that capacity can be reserved; `make` applies it. */
interface Change {
  look(destination: DestinationRecord): Promise<readonly Operation[]>;
  /** Undefined when another request has changed the associations since `look`. */
  make(
    tx: Transaction<Database>,
    destination: DestinationRecord,
    looked: readonly Operation[],
  ): Promise<readonly Operation[] | undefined>;
}

/**
 * Creates the association, or sets it again with the current template and granularity, which pushes it even if it looks
 * unchanged. It also abandons a failed purge of the destination.
 */
export const setAssociation = (parts: SyncParts, wanted: NewAssociation): Promise<AssociationChanged> =>
  changeAssociation(parts, wanted, {
    look: async (destination) => [await setTarget(parts.store, wanted, destination)],
    async make(tx, destination, [target]) {
      if (target === undefined) return undefined;
      if (!(await isMountedThere(tx, wanted))) throw noMount(parts, wanted.mountPath);
      // Without this lock a concurrent write of the secret could commit after the first push without seeing the association.
      const held = await parts.holdSecrets(tx, wanted.mount.id, [wanted.secretName]);
      if (held.length === 0) {
        await refuseNeverSynced(parts, { id: wanted.mount.id, path: wanted.mountPath }, wanted.secretName);
        throw noSecret(wanted);
      }
      await forgetFailedPurge(tx, destination);
      const made = await (target.generation === 1 ? insertAssociation : renewAssociation)(
        tx,
        wanted,
        destination,
        target.id,
      );
      return made.length === 0 ? undefined : made;
    },
  });

/** Ends the association and removes its objects, including associations of earlier mounts at this path. */
export const removeAssociation = (parts: SyncParts, wanted: AssociationKey): Promise<AssociationChanged> =>
  changeAssociation(parts, wanted, {
    look: (destination) => removeTargets(parts.store, wanted, destination),
    make: (tx, _destination, targets) => endAssociations(tx, targets),
  });

/** Rounds before giving up on an association that other requests keep changing. */
const roundsMax = 10;

/**
 * Reserves capacity in the queue first, so that nothing is changed when there is none (docs/architecture.md, rule 3.4). The
 * reservation precedes the transaction, so that a hanging queue keeps no rows locked. The destination is locked against a purge
 * or deletion that begins meanwhile and would not see this association.
 */
async function changeAssociation(
  parts: SyncParts,
  wanted: AssociationKey,
  change: Change,
): Promise<AssociationChanged> {
  const settings = await loadSettings(parts.store);
  for (let round = 1; round <= roundsMax; round += 1) {
    const destination = await changeable(parts.store, parts.store.db, wanted);
    const looked = await change.look(destination);
    const changed = await withReservation(parts, looked, settings.queue_capacity, () =>
      inOne(parts.store, wanted, change, looked),
    );
    if (changed !== undefined) return { ...changed, settings };
  }
  throw new AppError('unavailable', 'other requests keep changing this association: try again');
}

type Made = Omit<AssociationChanged, 'settings'>;

async function inOne(
  store: Store,
  wanted: AssociationKey,
  change: Change,
  looked: readonly Operation[],
): Promise<Made | undefined> {
  return store.transaction(async (tx) => {
    const destination = await changeable(store, tx, wanted, 'share');
    const operations = await change.make(tx, destination, looked);
    return operations === undefined ? undefined : { destination, operations };
  });
}

/**
 * The destination of a change.
 * @throws AppError `not-found`, or `bad-request` while it is being purged
 */
export async function changeable(
  store: Store,
  reader: Parameters<typeof loadDestination>[1],
  wanted: Omit<AssociationKey, 'secretName'>,
  lock?: 'share',
): Promise<DestinationRecord> {
  const { type } = wanted.definition;
  const key = { namespace_id: wanted.namespaceId, type, name: wanted.destinationName };
  const destination = await loadDestination(store, reader, key, lock);
  if (destination === undefined) throw noDestination(type, wanted.destinationName);
  refuseDuringPurge(destination);
  return destination;
}

/** @param path with a trailing slash */
export const noMount = ({ syncedMounts }: Pick<SyncParts, 'syncedMounts'>, path: string): AppError =>
  badField(
    'mount',
    `no mount at ${JSON.stringify(path)}: mount must be the path of a ${syncedMounts} mount, such as "secret"`,
  );

/** The error for associating a secret that does not exist. */
export const noSecret = (
  { mountPath, secretName }: Pick<AssociationKey, 'mountPath' | 'secretName'>,
  field = 'secret_name',
): AppError =>
  badField(
    field,
    `no secret ${JSON.stringify(secretName)} in mount ${JSON.stringify(mountPath)} with a version that is not deleted: ${field} must be the full path of one secret`,
  );

const noDestination = (type: string, name: string): AppError =>
  new AppError('not-found', (word) => `no destination ${JSON.stringify(name)} of type ${word(type)}`);
