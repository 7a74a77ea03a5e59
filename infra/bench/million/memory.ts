import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Stage } from '../stage.ts';

const megabyte = 1_024 * 1_024;

/** The memory of a process or server, in megabytes. */
export interface Holding {
  readonly what: string;
  readonly megabytes: number;
}

export async function redisMemory(redis: Redis): Promise<readonly Holding[]> {
  const info = await redis.info('memory');
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  return [
    { what: 'Redis, data', megabytes: field('used_memory') / megabyte },
    { what: 'Redis, process', megabytes: field('used_memory_rss') / megabyte },
  ];
}

/** All processes of the server; memory that they share is counted once. */
export async function postgresMemory({ folder }: Stage): Promise<readonly Holding[]> {
  const [server = ''] = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const own = await Promise.all([server, ...(await childrenOf(server))].map(sharedBytes));
  return [{ what: 'PostgreSQL, processes', megabytes: own.reduce((sum, bytes) => sum + bytes, 0) / megabyte }];
}

async function childrenOf(parent: string): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(processes.map(async (id) => ({ id, parent: await parentOf(id) })));
  return parents.filter((one) => one.parent === parent).map(({ id }) => id);
}

const parentOf = async (id: string): Promise<string> =>
  /^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${id}/status`, 'utf8').catch(() => ''))?.[1] ?? '';

/** 0 for a process that has ended since it was listed. */
const sharedBytes = async (id: string): Promise<number> =>
  Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => ''))?.[1] ?? 0) * 1_024;

export const processMemory = (what: string, bytes: number): Holding => ({ what, megabytes: bytes / megabyte });
