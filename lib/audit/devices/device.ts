import { badField } from '#core/errors.ts';
import { Marks } from '../lines/marks.ts';
import { type DeviceBounds, outletOf } from './kinds.ts';
import { type DeviceOptions, lineSettings, timeoutMs } from './options.ts';
import { NotRecorded, type Outlet } from './outlet.ts';
import { LineQueue } from './queue.ts';

/** An audit device as stored. */
export interface DeviceRecord {
  /** A UUID that is never reused. */
  readonly id: string;
  /** With a trailing slash. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly local: boolean;
  readonly options: DeviceOptions;
  /** The key of its HMAC; 32 bytes in hexadecimal digits. */
  readonly salt: string;
}

/** A device that is open in this process. */
export interface Device {
  readonly record: DeviceRecord;
  readonly marks: Marks;
  readonly queue: LineQueue;
}

/** @throws AppError `bad-request` for invalid options */
export function openDevice(record: DeviceRecord, bounds: DeviceBounds): Device {
  const { type, options, salt } = record;
  const marks = new Marks(lineSettings(options, salt));
  const limitMs = timeoutMs(options);
  return { record, marks, queue: new LineQueue(outletOf(type, options, bounds, limitMs), limitMs) };
}

/** Opens a stored device. It records nothing if the settings of this process, unlike those of another process, forbid it. */
export function openStored(record: DeviceRecord, bounds: DeviceBounds): Device {
  try {
    return openDevice(record, bounds);
  } catch {
    const marks = new Marks(lineSettings(record.options, record.salt));
    return { record, marks, queue: new LineQueue(forbidden, timeoutMs(record.options)) };
  }
}

const forbidden: Outlet = {
  write: () => Promise.reject(new NotRecorded('the settings of this process do not allow it')),
  close: async () => {},
};

const charactersMax = 256;

/** The path of a device with a trailing slash. @throws AppError `bad-request` */
export function devicePath(given: string): string {
  const path = given.replace(/^\/+|\/+$/g, '');
  if (path === '') throw badField('path', 'the path of the device is missing');
  if (path.length > charactersMax)
    throw badField('path', `the path of a device may have at most ${charactersMax} characters`);
  return `${path}/`;
}
