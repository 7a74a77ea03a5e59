import type { Store } from '../../store/store.ts';
import { type Device, type DeviceRecord, openStored } from '../devices/device.ts';
import type { DeviceBounds } from '../devices/kinds.ts';
import type { RecordedHeaders } from '../lines/settings.ts';
import { readStored } from './devices.ts';

/** What this process has open. */
export interface OpenDevices {
  readonly devices: readonly Device[];
  readonly headers: RecordedHeaders;
}

/** The devices of this process, by what is stored. */
export interface DeviceCopy {
  /** @throws AppError when it was never read and cannot be */
  current(): Promise<OpenDevices> | OpenDevices;
  /** What was read last; undefined: it is older than a second, or was never read. */
  readonly fresh: OpenDevices | undefined;
  /** Reads it again. @throws AppError */
  refresh(): Promise<void>;
  /** Takes over a device that was opened before it was stored. */
  adopt(device: Device): void;
  /** Those that are open, whatever is stored. */
  readonly open: readonly Device[];
  close(): Promise<void>;
}

/** A change made by another process holds after that time. */
const ageMsMax = 1_000;
const none: OpenDevices = { devices: [], headers: new Map() };

/** It is read again once a second, by a request. While the store cannot be read, that of before holds. */
export function openCopy(store: Store, bounds: DeviceBounds): DeviceCopy {
  const open = new Map<string, Device>();
  let copy: (OpenDevices & { readonly revision: number }) | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const began = performance.now();
    const stored = await readStored(store, copy?.revision);
    if (stored !== undefined && (copy === undefined || stored.revision > copy.revision)) {
      const devices = stored.devices.map(opened);
      closeAllBut(stored.devices);
      copy = { devices, headers: stored.headers, revision: stored.revision };
    }
    readAt = began;
  }
  function opened(record: DeviceRecord): Device {
    const device = open.get(record.id) ?? openStored(record, bounds);
    open.set(record.id, device);
    return device;
  }
  function closeAllBut(records: readonly DeviceRecord[]): void {
    for (const [id, device] of open) {
      if (records.some((record) => record.id === id)) continue;
      open.delete(id);
      void device.queue.close();
    }
  }
  /** The salts are not for a process that is sealed. */
  function forget(): OpenDevices {
    copy = undefined;
    closeAllBut([]);
    return none;
  }
  const isFresh = () => copy !== undefined && !store.barrier.sealed && performance.now() - readAt < ageMsMax;
  async function late(): Promise<OpenDevices> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading.catch((error: unknown) => {
      if (copy === undefined) throw error;
      readAt = performance.now();
    });
    return copy ?? none;
  }
  return {
    get fresh() {
      return isFresh() ? copy : undefined;
    },
    get open() {
      return [...open.values()];
    },
    current() {
      if (copy !== undefined && isFresh()) return copy;
      return store.barrier.sealed ? forget() : late();
    },
    async refresh() {
      // One that is under way may have begun before the change.
      await reading?.catch(() => {});
      await read();
    },
    adopt(device) {
      // Who read in between has opened it as well.
      if (open.has(device.record.id)) void device.queue.close();
      else open.set(device.record.id, device);
    },
    async close() {
      await Promise.all([...open.values()].map(({ queue }) => queue.close()));
    },
  };
}
