import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Operation } from '#queue/contract.ts';
import { typeIn } from '../../model/definition.ts';
import type { SyncParts } from '../parts.ts';
import type { AssociationChanged } from './change.ts';
import type { AssociationKey } from './change-store.ts';
import { isSettled, loadAssociations, withIds } from './store.ts';
import { type AssociationRecord, associatedSecrets } from './view.ts';

export interface Settling {
  readonly wanted: AssociationKey;
  /** The accessor of the mount, for an association that no longer exists; empty if unknown. */
  readonly accessor: string;
  readonly context: RequestContext;
  readonly change: () => Promise<AssociationChanged>;
}

/** Applies the change, queues it, waits for its worker, and returns the result (docs/architecture.md, rule 3.6). */
export async function settle(parts: SyncParts, { wanted, accessor, context, change }: Settling): Promise<Reply> {
  const { vocabulary, signal } = context;
  const { operations, settings, destination } = await change();
  const paused = settings.disabled || destination.pause.disabled;
  const warnings = await queueAndWait(parts, operations, paused, signal);
  const found = await loadAssociations(parts.store, withIds(operations.map(({ id }) => id)));
  const shown = associatedSecrets(found.length > 0 ? found : [unsynced(parts, wanted, accessor)], vocabulary);
  const store = { store_name: wanted.destinationName, store_type: typeIn(wanted.definition, vocabulary) };
  return { data: { ...shown, ...store }, warnings };
}

async function queueAndWait(
  parts: SyncParts,
  operations: readonly Operation[],
  paused: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listeners = operations.map((operation) => ({ operation, listener: parts.queue.listen(operation.id) }));
  try {
    const warnings = await parts.changed(operations);
    const deadline = Date.now() + parts.waitMs;
    for (const { operation, listener } of paused || warnings.length > 0 ? [] : listeners) {
      await untilSettled(parts, operation, listener, deadline, signal);
    }
    return warnings;
  } finally {
    for (const { listener } of listeners) listener.stop();
  }
}

/** The store decides: an announcement may be about an older generation, or be lost with its connection. */
async function untilSettled(
  parts: SyncParts,
  { id, generation }: Operation,
  listener: ReturnType<SyncParts['queue']['listen']>,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  for (let leftMs = deadline - Date.now(); leftMs > 0 && !signal.aborted; leftMs = deadline - Date.now()) {
    await listener.wait(Math.min(leftMs, lookMs), signal);
    if (await isSettled(parts.store, id, generation)) return;
  }
}

/** Interval at which the store is polled while no announcement arrives, in milliseconds. */
const lookMs = 500;

/** How an association that does not exist reads. */
function unsynced(parts: SyncParts, wanted: AssociationKey, accessor: string): AssociationRecord {
  return {
    type: wanted.definition.type,
    destination_name: wanted.destinationName,
    mount_path: wanted.mountPath,
    mount_accessor: accessor,
    secret_name: wanted.secretName,
    granularity: '',
    desired: 'absent',
    status: 'UNSYNCED',
    error: null,
    records: [],
    attempts: 0,
    next_attempt_at: null,
    recheck_at: null,
    unconfirmed: false,
    updated_at: parts.store.clock.now(),
  };
}
