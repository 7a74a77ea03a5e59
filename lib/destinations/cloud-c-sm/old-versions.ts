// Beyond the usual files: a setting of this type has the older versions destroyed after a put.
import type { Log } from '../../core/log.ts';
import { cannot } from '../frame/verb/verb.ts';
import { codeOf, explain } from './failure.ts';
import type { Secrets } from './secrets.ts';

/** The new version is written whatever happens here. What passes is left to the next put; a missing permission is reported. */
export async function destroyOlder(
  secrets: Pick<Secrets, 'enabledVersions' | 'destroyVersion'>,
  name: string,
  version: string,
  log: Log,
): Promise<void> {
  try {
    const enabled = await secrets.enabledVersions(name);
    for (const older of enabled.filter((other) => Number(other) < Number(version))) {
      await secrets.destroyVersion(name, older);
    }
  } catch (error) {
    const failure = explain(error);
    if (codeOf(error) === 'PERMISSION_DENIED') throw cannot('destroy its older versions', failure);
    log.warn({ secret: name, kind: failure.kind }, 'older versions were not destroyed; the next put tries again');
  }
}
