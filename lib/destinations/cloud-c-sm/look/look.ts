import { DestinationFailure, type Inspection, type ListPage, type PutItem } from '../../contract.ts';
import { foreignObject } from '../../frame/rules/found.ts';
import { markLabel } from '../names.ts';
import { toRemoteVersion } from './receipt.ts';
import type { FoundSecret, Secrets } from './secrets.ts';

/**
 * The mark and the newest version, without the value. A newest version that is disabled or destroyed counts as none, since it cannot
 * be read. `undefined` when the secret does not exist, `'unknown'` when we may not look.
 */
export async function look(secrets: Secrets, name: string): Promise<Inspection | undefined | 'unknown'> {
  const found = await secrets.find(name);
  if (found === 'absent') return undefined;
  const version = found === 'denied' ? 'denied' : await secrets.newestVersion(name);
  if (found === 'denied' || version === 'denied') return 'unknown';
  const remoteVersion = version === null ? null : toRemoteVersion(version, found.etag);
  return { remoteVersion, mark: found.labels[markLabel] ?? null, tags: found.labels };
}

/** A page of the project. It shows no versions: adding one does not change the secret that it belongs to. */
export async function list(secrets: Secrets, prefix: string, after: string | null): Promise<ListPage> {
  const page = await secrets.page(prefix, after);
  const objects = page.secrets.map(({ id, labels }) => {
    const shown = { remoteVersion: null, changedAt: null, mark: labels[markLabel] ?? null, tags: labels };
    return { name: id, ...shown };
  });
  return { objects, after: page.after };
}

/** Refuses a put to a secret without its mark. Without permission to look, a secret that our record names counts as ours. */
export function refuseForeign(found: FoundSecret | 'denied', { mark, mode }: PutItem): void {
  if (mode === 'adopt') return;
  if (found === 'denied') {
    if (mode === 'create') throw cannotCheckOwner();
    return;
  }
  if (found.labels[markLabel] !== mark) throw foreignObject('a secret of this name in the project');
}

export const cannotCheckOwner = (): DestinationFailure =>
  new DestinationFailure(
    'permission',
    'a secret of this name exists, and its owner cannot be checked without the permission secretmanager.secrets.get',
  );
