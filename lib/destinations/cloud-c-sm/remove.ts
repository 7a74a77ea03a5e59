import type { Log } from '#core/log/log.ts';
import { DestinationFailure, type RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/found.ts';
import { cannotCheckOwner } from './look/look.ts';
import { etagOf } from './look/receipt.ts';
import type { Secrets } from './look/secrets.ts';
import { markLabel } from './names.ts';

/** Rounds of a removal when other clients change the secret in between. */
const roundsMax = 3;

/**
 * Deletes the secret if it carries our mark. The etag ensures that it is still the secret that we looked at or, where the record is
 * certain, the one that our last put left; then no look is needed.
 * Without permission to look, the secret of this name is deleted as the record says.
 */
export async function remove(
  secrets: Pick<Secrets, 'find' | 'remove'>,
  { name, mark, remoteVersion, asRecorded }: RemoveItem,
  log: Log,
): Promise<void> {
  const recorded = asRecorded === true ? etagOf(remoteVersion) : undefined;
  if (recorded !== undefined && (await secrets.remove(name, recorded)) === 'removed') return;
  for (let round = 0; round < roundsMax; round++) {
    const found = await secrets.find(name);
    if (found === 'absent') return;
    if (found !== 'denied' && found.labels[markLabel] !== mark) {
      warnOfForeign(log, name);
      return;
    }
    const etag = found === 'denied' ? etagOf(remoteVersion) : found.etag;
    if ((await secrets.remove(name, etag)) === 'removed') return;
    if (found === 'denied') throw cannotCheckOwner();
  }
  throw new DestinationFailure('unavailable', 'other clients keep changing the secret');
}
