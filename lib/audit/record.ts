import type { Eventual } from '../core/concurrency/eventual.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Device } from './devices/device.ts';

/** A device that fails is reported once in so long. */
const reportMs = 10_000;

/** Gives a line to each device. One that takes it is enough. */
export type Record = (devices: readonly Device[], lineOf: (device: Device) => Eventual<string>) => Promise<void>;

/** The function throws AppError `internal` when no device has recorded the line. */
export function recorder(log: Log): Record {
  const reportedAt = new Map<string, number>();

  function report({ record: { id, path, type }, queue }: Device, error: unknown): void {
    const now = performance.now();
    if (queue.closed || now - (reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < reportMs) return;
    reportedAt.set(id, now);
    log.warn({ device: path, type, ...reasonOf(error) }, 'an audit device did not record');
  }
  return async (devices, lineOf) => {
    const attempts = devices.map(async (device) => {
      try {
        const line = lineOf(device);
        await device.queue.add(typeof line === 'string' ? line : await line);
      } catch (error) {
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
