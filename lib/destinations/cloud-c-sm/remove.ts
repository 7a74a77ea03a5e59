import type { Log } from '../../core/log.ts';
import { DestinationFailure, type RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/foreign.ts';
import { unseen } from './look.ts';
import { etagOf } from './receipt.ts';
import type { Secrets } from './secrets.ts';
import { markLabel } from './tags.ts';

/** How often a removal looks anew because others changed the secret in between. */
const roundsMax = 3;

/**
 * Deletes the secret if it carries our mark. The etag makes sure that it is still the one that was looked at or, where the record
 * leaves no doubt, the one that our last put left: then no look is needed.
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
    if (found === 'denied') throw unseen();
  }
  throw new DestinationFailure('unavailable', 'others change the secret all the time');
}
