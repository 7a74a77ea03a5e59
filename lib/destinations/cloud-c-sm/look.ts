import { DestinationFailure, type Inspection, type PutItem } from '../contract.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
import { toRemoteVersion } from './receipt.ts';
import type { FoundSecret, Secrets } from './secrets.ts';
import { markLabel } from './tags.ts';

/**
 * The mark and the newest version, without the value. A newest version that somebody disabled or destroyed counts as none, since
 * nobody can read it. `undefined`: the secret is not there. `'unknown'`: we may not look.
 */
export async function look(secrets: Secrets, name: string): Promise<Inspection | undefined | 'unknown'> {
  const found = await secrets.find(name);
  if (found === 'absent') return undefined;
  const version = found === 'denied' ? 'denied' : await secrets.newestVersion(name);
  if (found === 'denied' || version === 'denied') return 'unknown';
  const remoteVersion = version === null ? null : toRemoteVersion(version, found.etag);
  return { remoteVersion, mark: found.labels[markLabel] ?? null, tags: found.labels };
}

/** A put may only take what is free or carries its own mark. Without permission to look, what we wrote is ours by the record. */
export function refuseForeign(found: FoundSecret | 'denied', { mark, mode }: PutItem): void {
  if (mode === 'adopt') return;
  if (found === 'denied') {
    if (mode === 'create') throw unseen();
    return;
  }
  if (found.labels[markLabel] !== mark) throw foreignObject('a secret of this name in the project');
}

export const unseen = (): DestinationFailure =>
  new DestinationFailure(
    'permission',
    'there is a secret of this name, and whose it is cannot be told without the permission secretmanager.secrets.get',
  );
