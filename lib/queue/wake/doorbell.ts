import type { Log } from '#core/log/log.ts';
import type { Doorbell } from '../contract.ts';

/** Does nothing, for consumers that listen all the time. */
export const silentDoorbell: Doorbell = { async ring() {} };

/** Rings once per type. Failures are only logged, because the sweep rings again (see `wake`). */
export async function ringAll(doorbell: Doorbell, types: Iterable<string>, log: Log): Promise<void> {
  const rings = [...new Set(types)].map(async (type) => {
    try {
      await doorbell.ring(type);
    } catch (cause) {
      log.warn({ type, error: cause instanceof Error ? cause.name : 'unknown' }, 'the doorbell could not be rung');
    }
  });
  await Promise.all(rings);
}
