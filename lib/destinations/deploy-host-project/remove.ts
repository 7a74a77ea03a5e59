import type { Log } from '#core/log/log.ts';
import type { RemoveItem } from '../contract.ts';
import type { List } from '../frame/listing.ts';
import { warnOfForeign } from '../frame/rules/found.ts';
import type { Client } from './client/client.ts';
import { idOfVersion, type VariableRecord } from './client/record.ts';
import { overlaps, ownRecords } from './put/plan.ts';

/** Removes the variable by its id where the record is certain, and otherwise all our variables of its name. */
export async function remove(
  { client, list, targets, log }: { client: Client; list: List<VariableRecord>; targets: readonly string[]; log: Log },
  { name, mark, remoteVersion, asRecorded }: RemoveItem,
  signal: AbortSignal,
): Promise<void> {
  const id = asRecorded === true ? idOfVersion(remoteVersion) : undefined;
  if (id !== undefined && (await client.remove(id, signal))) return;
  const present = (await list(signal)).filter((record) => record.name === name);
  const own = ownRecords({ name, mode: 'update', mark, remoteVersion }, present);
  const foreign = own.length === 0 && present.some((record) => record.branch === null && overlaps(record, targets));
  if (foreign) warnOfForeign(log, name);
  for (const { id } of own) await client.remove(id, signal);
}
