import { z } from 'zod';
import { rootNamespace } from '#core/namespace.ts';
import type { Queue } from '#queue/contract.ts';
import { storedSetting } from '#store/settings.ts';
import type { Store } from '#store/store.ts';
import { loadSettings } from '#sync/model/settings.ts';
import type { EventKind } from '../events/event.ts';
import { againMs } from './decide.ts';
import { holdsNamespace, recordEvents } from './record.ts';

/** What was last told of the queue. */
export interface QueueTold {
  readonly filling: boolean;
  /** When it was last told to fill, RFC 3339; absent: never. */
  readonly at?: string | undefined;
}

const setting = storedSetting<QueueTold>(
  'sync-queue-told',
  z.strictObject({ filling: z.boolean(), at: z.string().optional() }),
);

/** Shares of the capacity. Between the two, nothing is told. */
const [fullShare, emptyShare] = [0.8, 0.6];

export function decideQueue(
  { filling, at }: QueueTold,
  { pending, capacity }: { readonly pending: number; readonly capacity: number },
  nowMs: number,
): 'queue.filling' | 'queue.drained' | undefined {
  if (filling) return pending < capacity * emptyShare ? 'queue.drained' : undefined;
  const isQuiet = at !== undefined && nowMs - Date.parse(at) < againMs;
  return pending >= capacity * fullShare && !isQuiet ? 'queue.filling' : undefined;
}

/** Tells the root namespace, to which the queue belongs. */
export async function tellQueue(store: Store, queue: Pick<Queue, 'pendingCount'>): Promise<readonly EventKind[]> {
  const { queue_capacity: capacity } = await loadSettings(store);
  const levels = { pending: await queue.pendingCount(), capacity };
  const kindOf = (told: QueueTold = { filling: false }) => decideQueue(told, levels, store.clock.now().getTime());
  if (kindOf(await setting.read(store.db)) === undefined) return [];
  return store.transaction(async (tx) => {
    if (!(await holdsNamespace(tx, rootNamespace.id))) return [];
    const before = await setting.read(tx);
    const kind = kindOf(before);
    if (kind === undefined) return [];
    const filling = kind === 'queue.filling';
    await setting.write(tx, { filling, at: filling ? store.clock.now().toISOString() : before?.at });
    return recordEvents(tx, rootNamespace.id, [{ kind, details: levels }]);
  });
}
