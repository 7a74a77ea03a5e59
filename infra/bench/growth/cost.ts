import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import { tables } from './indexes.ts';

/** What one item cost: by the clock, in pages of 8 kB that PostgreSQL looked at, and how often it read a whole large table. */
export interface Cost {
  readonly what: string;
  readonly milliseconds: number;
  readonly pages: number;
  readonly wholeTables: number;
}

/** A step of the service. Returns the number of items. */
export interface Step {
  readonly what: string;
  work(): Promise<number>;
  /** Runs before each round and is not measured. */
  prepare?(): Promise<unknown>;
  /** Its work is to read everything, so one round suffices and whole tables are read. */
  readonly readsAll?: true;
}

/** The processes of the server report what they did after a second without work. */
const reportedAfterMs = 1_500;

/** The minimum of the rounds, since other work of the machine and the server, such as a vacuum, can only add to it. */
export async function measure(stage: Stage, { what, work, prepare, readsAll }: Step): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < (readsAll ? 1 : 3); round += 1) {
    await prepare?.();
    const before = await counters(stage);
    const began = performance.now();
    const items = await work();
    const milliseconds = (performance.now() - began) / items;
    const after = await counters(stage);
    const wholeTables = readsAll ? 0 : after.scans - before.scans;
    costs.push({ what, milliseconds, pages: (after.pages - before.pages) / items, wholeTables });
  }
  const least = (of: (cost: Cost) => number) => Math.min(...costs.map(of));
  return {
    what,
    milliseconds: least((cost) => cost.milliseconds),
    pages: least((cost) => cost.pages),
    wholeTables: least((cost) => cost.wholeTables),
  };
}

async function counters({ database }: Stage): Promise<{ readonly pages: number; readonly scans: number }> {
  await delay(reportedAfterMs);
  const { rows } = await database.query<{ pages: string; scans: string }>(
    `select (select blks_hit + blks_read from pg_stat_database where datname = current_database()) as pages,
            (select sum(seq_scan) from pg_stat_user_tables where relname = any($1::text[])) as scans`,
    [tables],
  );
  return { pages: Number(rows[0]?.pages), scans: Number(rows[0]?.scans) };
}
