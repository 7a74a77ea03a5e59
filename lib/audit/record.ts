import type { Eventual } from '../core/concurrency/eventual.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Device } from './devices/device.ts';

/** A device that fails is reported once in so long. */
const reportMs = 10_000;

/** A line that a device was given. */
export interface Entry {
  /** Of the device. */
  readonly type: string;
  readonly recorded: boolean;
  /** Until it was written or refused, the time in the queue among it. */
  readonly seconds: number;
}

const secondMs = 1_000;

/** Gives a line to each device. One that takes it is enough. */
export type Record = (devices: readonly Device[], lineOf: (device: Device) => Eventual<string>) => Promise<void>;

/** The function throws AppError `internal` when no device has recorded the line. `seen` is told of each line and each device. */
export function recorder(log: Log, seen: (entry: Entry) => void): Record {
  const reportedAt = new Map<string, number>();

  function report({ record: { id, path, type }, queue }: Device, error: unknown): void {
    const now = performance.now();
    if (queue.closed || now - (reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < reportMs) return;
    reportedAt.set(id, now);
    log.warn({ device: path, type, ...reasonOf(error) }, 'an audit device did not record');
  }
  return async (devices, lineOf) => {
    const attempts = devices.map(async (device) => {
      const began = performance.now();
      const see = (recorded: boolean) =>
        seen({ type: device.record.type, recorded, seconds: (performance.now() - began) / secondMs });
      try {
        const line = lineOf(device);
        await device.queue.add(typeof line === 'string' ? line : await line);
        see(true);
      } catch (error) {
        see(false);
        report(device, error);
        throw error;
      }
    });
    await Promise.any(attempts).catch(() => {
      throw new AppError('internal', '1 error occurred:\n\t* no audit device has recorded the request\n\n');
    });
  };
}

/** Messages of the system name paths and addresses, which are the operator's own. */
export const reasonOf = (error: unknown): { readonly reason: string } => ({
  reason: error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'unknown',
});
