import type { Eventual } from '#core/concurrency/eventual.ts';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { Device } from './devices/device.ts';

/** Minimum time between two reports about a failing device. */
const reportMs = 10_000;

/** A line that was given to a device. */
export interface Entry {
  /** The type of the device. */
  readonly type: string;
  readonly recorded: boolean;
  /** Time until it was written or refused, including the time in the queue. */
  readonly seconds: number;
}

const secondMs = 1_000;

/** Gives a line to each device. Succeeds when at least one device records it. */
export type Record = (devices: readonly Device[], lineOf: (device: Device) => Eventual<string>) => Promise<void>;

/** The function throws AppError `internal` when no device has recorded the line. `seen` is called for each line and device. */
export function recorder(log: Log, seen: (entry: Entry) => void): Record {
  const reportedAt = new Map<string, number>();

  function report({ record: { id, path, type }, queue }: Device, error: unknown): void {
    const now = performance.now();
    if (queue.closed || now - (reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < reportMs) return;
    reportedAt.set(id, now);
    log.warn({ device: path, type, ...reasonOf(error) }, 'an audit device failed to record');
  }
  async function give(device: Device, lineOf: (device: Device) => Eventual<string>): Promise<void> {
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
  }
  return async (devices, lineOf) => {
    const [first] = devices;
    try {
      if (first !== undefined && devices.length === 1) await give(first, lineOf);
      else await Promise.any(devices.map((device) => give(device, lineOf)));
    } catch {
      throw new AppError('internal', '1 error occurred:\n\t* no audit device has recorded the request\n\n');
    }
  };
}

/** Messages of the operating system contain paths and addresses, which are no secret to the operator. */
export const reasonOf = (error: unknown): { readonly reason: string } => ({
  reason: error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'unknown',
});
