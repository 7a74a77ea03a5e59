import { Marks } from '../lines/marks.ts';
import { type DeviceBounds, outletOf } from './kinds.ts';
import { type DeviceOptions, lineSettings, timeoutMs } from './options.ts';
import { NotRecorded, type Outlet } from './outlet.ts';
import { LineQueue } from './queue.ts';

/** An audit device as it is stored. */
export interface DeviceRecord {
  /** A UUID; no later device gets it. */
  readonly id: string;
  /** With a slash at its end. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly local: boolean;
  readonly options: DeviceOptions;
  /** Of its HMAC; 32 bytes in hexadecimal digits. */
  readonly salt: string;
}

/** A device of this process. */
export interface Device {
  readonly record: DeviceRecord;
  readonly marks: Marks;
  readonly queue: LineQueue;
}

/** @throws AppError `bad-request` for options that cannot be */
export function openDevice(record: DeviceRecord, bounds: DeviceBounds): Device {
  const { type, options, salt } = record;
  const marks = new Marks(lineSettings(options, salt));
  const limitMs = timeoutMs(options);
  return { record, marks, queue: new LineQueue(outletOf(type, options, bounds, limitMs), limitMs) };
}

/** A device that this process may not open, because it is configured otherwise than the one that enabled it, records nothing. */
export function openStored(record: DeviceRecord, bounds: DeviceBounds): Device {
  try {
    return openDevice(record, bounds);
  } catch {
    const marks = new Marks(lineSettings(record.options, record.salt));
    return { record, marks, queue: new LineQueue(closedHere, timeoutMs(record.options)) };
  }
}

const closedHere: Outlet = {
  write: () => Promise.reject(new NotRecorded('the settings of this process do not let it be opened')),
  close: async () => {},
};
