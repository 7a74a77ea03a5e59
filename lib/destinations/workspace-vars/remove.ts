import type { Log } from '#core/log/log.ts';
import type { RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/found.ts';
import { notAllowed } from './failure.ts';
import { idOfVersion } from './fields/record.ts';
import { ownRecords } from './put/plan.ts';
import type { Parts } from './put/put.ts';

/** Removes the variable by its id where the record is certain, and otherwise all our variables of its name. */
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
    // The host also answers 404 when the token may not change a variable, so check whether it is still listed.
    if ((await list(signal)).some((record) => record.id === id)) throw notAllowed(target);
  }
}
