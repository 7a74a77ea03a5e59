import type { Client } from '#client/client.ts';
import { sync } from '#client/operations/sync.ts';
import { countsIn, destinationName, destinationsIn } from '#client/overview.ts';
import { textOf } from '#client/wire/json.ts';
import { permitted } from '../../permitted.ts';
import { copiesAt, copiesIn, isSettled } from './copies.ts';
import { matching, type Target } from './target.ts';

/** How many syncs of a destination have a status. For a caller that may read only its associations, how many copies. */
export type Counts = ReadonlyMap<string, number>;

/** The numbers of a destination, whatever their size. */
export async function countsAt(client: Client, target: Target): Promise<Counts> {
  const read = await permitted(client.call(sync.readDestination, target));
  if (read === undefined) return tallied(client, target);
  return new Map(Object.entries(countsIn(read.data, 'counts')));
}

export const totalOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/**
 * Whether nothing at a destination waits to be synced. What `sys/sync/records` shows leaves out destinations whose associations the caller may not
 * read, and changes of a destination that are being marked; the first association and the overview tell of both.
 */
export async function isSettledAt(client: Client, target: Target): Promise<boolean> {
  const first = copiesIn((await client.call(sync.associationsOf, target, { limit: 1 })).data);
  if (!first.every(isSettled)) return false;
  const { type, name } = target;
  const pending = await permitted(client.call(sync.listRecords, {}, { type, name, status: 'PENDING', limit: 1 }));
  if (pending === undefined) return !(await anyPending(client, target));
  return textOf(pending.data, 'total') === '0' && !(await isMarking(client, target));
}

async function isMarking(client: Client, target: Target): Promise<boolean> {
  const overview = await permitted(client.call(sync.overview, {}));
  const found = matching(destinationsIn(overview?.data), target, destinationName);
  return found.some((one) => textOf(one, 'marking_since') !== '');
}

async function anyPending(client: Client, target: Target): Promise<boolean> {
  for await (const page of copiesAt(client, target)) if (!page.every(isSettled)) return true;
  return false;
}

async function tallied(client: Client, target: Target): Promise<Counts> {
  const counts = new Map<string, number>();
  for await (const page of copiesAt(client, target))
    for (const { status } of page) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}
