import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Owner, thisOwner } from './owner.ts';

/** A folder that only the user of this process can read, until it is removed. */
export interface PrivateFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Interval at which a folder in use is touched, in milliseconds. Processes of other places see by it that its owner lives. */
const touchMs = 60_000;

/**
 * Makes an empty private folder. Its name tells the process that it belongs to, so that another one can remove what a process that was killed has
 * left behind.
 */
export async function makePrivateFolder(parent: string, prefix: string): Promise<PrivateFolder> {
  const { place, pid, begun } = thisOwner();
  const path = await mkdtemp(join(parent, `${prefix}-${place}-${pid}-${begun}-`));
  const timer = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => {});
  }, touchMs).unref();
  return {
    path,
    remove() {
      clearInterval(timer);
      return rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const parts = /^([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[A-Za-z0-9]{6}$/;

/** The process that made a folder of this name; undefined when it is no private folder. */
export function ownerIn(name: string, prefix: string): Owner | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined;
  const [, place, pid, begun] = parts.exec(name.slice(prefix.length + 1)) ?? [];
  return place === undefined || begun === undefined ? undefined : { place, pid: Number(pid), begun };
}
