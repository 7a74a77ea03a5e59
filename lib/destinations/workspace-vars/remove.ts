import type { Log } from '../../core/log.ts';
import type { RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/foreign.ts';
import { notAllowed } from './failure.ts';
import { ownRecords } from './plan.ts';
import type { Parts } from './put.ts';
import { idOfVersion } from './record.ts';

/** Removes the variable by its id where the record leaves no doubt; else what of its name is ours. */
export async function remove(
  { client, list, target, setting, log }: Parts & { readonly log: Log },
  { name, mark, remoteVersion, asRecorded }: RemoveItem,
  signal: AbortSignal,
): Promise<void> {
  const known = asRecorded === true ? idOfVersion(remoteVersion) : undefined;
  if (known !== undefined && (await client.remove(known, signal))) return;
  const records = await list(signal);
  const own = ownRecords({ name, mode: 'update', mark, remoteVersion }, records);
  const foreign = records.some((record) => record.name === name && record.category === setting.category);
  if (own.length === 0 && foreign) warnOfForeign(log, name);
  for (const { id } of own) {
    if (await client.remove(id, signal)) continue;
    // The host answers 404 for what the token may not change as well: what is listed is there.
    if ((await list(signal)).some((record) => record.id === id)) throw notAllowed(target);
  }
}
