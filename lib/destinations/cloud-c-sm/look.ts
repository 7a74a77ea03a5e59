import { DestinationFailure, type Inspection } from '../contract.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
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
  return { remoteVersion: version, mark: found.labels[markLabel] ?? null, tags: found.labels };
}

/** A create may only take what is free or carries its own mark. */
export function refuseForeign(found: FoundSecret | 'denied', mark: string): void {
  if (found === 'denied') {
    const message =
      'there is a secret of this name, and whose it is cannot be told without the permission secretmanager.secrets.get';
    throw new DestinationFailure('permission', message);
  }
  if (found.labels[markLabel] !== mark) throw foreignObject('a secret of this name in the project');
}
