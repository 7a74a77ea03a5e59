import type { Log } from '../../core/log.ts';
import type { RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/foreign.ts';
import type { Client } from './client.ts';
import type { List } from './look.ts';
import { overlaps, ownRecords } from './plan.ts';
import { idOfVersion } from './record.ts';

/** Removes the variable by its id where the record leaves no doubt; else what of its name is ours. */
export async function remove(
  { client, list, targets, log }: { client: Client; list: List; targets: readonly string[]; log: Log },
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
