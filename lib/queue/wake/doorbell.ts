import type { Log } from '../../core/log.ts';
import type { Doorbell } from '../contract.ts';

/** Where consumers listen all the time nobody has to be woken. */
export const silentDoorbell: Doorbell = { async ring() {} };

/** Rings once per type. A bell that is out of order is no reason to fail: the sweep rings again (see `wake`). */
export async function ringAll(doorbell: Doorbell, types: Iterable<string>, log: Log): Promise<void> {
  const rings = [...new Set(types)].map(async (type) => {
    try {
      await doorbell.ring(type);
    } catch (cause) {
      log.warn({ type, error: cause instanceof Error ? cause.name : 'unknown' }, 'the doorbell does not ring');
    }
  });
  await Promise.all(rings);
}
