import type { Store } from '#store/store.ts';
import { type Device, type DeviceRecord, openStored } from '../devices/device.ts';
import type { DeviceBounds } from '../devices/kinds.ts';
import type { RecordedHeaders } from '../lines/marks.ts';
import { readStored } from './devices.ts';

/** The devices and headers that a process uses. */
export interface OpenDevices {
  readonly devices: readonly Device[];
  readonly headers: RecordedHeaders;
}

/** The devices of this process, copied from the store. */
export interface DeviceCopy {
  /** @throws AppError when the store has never been read and cannot be read now */
  current(): Promise<OpenDevices> | OpenDevices;
  /** The copy if it is at most a second old, otherwise undefined. */
  readonly fresh: OpenDevices | undefined;
  /** Reads the store again. @throws AppError */
  refresh(): Promise<void>;
  /** Adds a device that was opened before it was stored. */
  adopt(device: Device): void;
  /** All open devices, whatever is stored. */
  readonly open: readonly Device[];
  close(): Promise<void>;
}

/** A change made by another process applies after this time. */
const ageMsMax = 1_000;
const none: OpenDevices = { devices: [], headers: new Map() };

/** A request reads the store again once a second. While the store cannot be read, the last copy applies. */
export function openCopy(store: Store, bounds: DeviceBounds): DeviceCopy {
  const open = new DevicesById(bounds);
  let copy: (OpenDevices & { readonly revision: number }) | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const began = performance.now();
    const stored = await readStored(store, copy?.revision);
    if (stored !== undefined && (copy === undefined || stored.revision > copy.revision)) {
      const devices = stored.devices.map((record) => open.of(record));
      open.closeAllBut(stored.devices);
      copy = { devices, headers: stored.headers, revision: stored.revision };
    }
    readAt = began;
  }
  /** A sealed process must not keep the salts. */
  function forget(): OpenDevices {
    copy = undefined;
    open.closeAllBut([]);
    return none;
  }
  const isFresh = () => copy !== undefined && !store.barrier.sealed && performance.now() - readAt < ageMsMax;
  async function renewed(): Promise<OpenDevices> {
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
      return open.all;
    },
    current() {
      if (copy !== undefined && isFresh()) return copy;
      return store.barrier.sealed ? forget() : renewed();
    },
    async refresh() {
      // A read in progress may have begun before the change.
      await reading?.catch(() => {});
      await read();
    },
    adopt(device) {
      open.adopt(device);
    },
    async close() {
      await Promise.all(open.all.map(({ queue }) => queue.close()));
    },
  };
}

/** The open devices, by the ids of their records. */
class DevicesById {
  readonly #open = new Map<string, Device>();
  readonly #bounds: DeviceBounds;

  constructor(bounds: DeviceBounds) {
    this.#bounds = bounds;
  }

  get all(): readonly Device[] {
    return [...this.#open.values()];
  }

  /** The device of a record, opened when it is not open yet. */
  of(record: DeviceRecord): Device {
    const device = this.#open.get(record.id) ?? openStored(record, this.#bounds);
    this.#open.set(record.id, device);
    return device;
  }

  adopt(device: Device): void {
    // A read since the insert has already opened the device.
    if (this.#open.has(device.record.id)) void device.queue.close();
    else this.#open.set(device.record.id, device);
  }

  closeAllBut(records: readonly DeviceRecord[]): void {
    for (const [id, device] of this.#open) {
      if (records.some((record) => record.id === id)) continue;
      this.#open.delete(id);
      void device.queue.close();
    }
  }
}
