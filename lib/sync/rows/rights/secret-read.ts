import { AppError, badField, permissionDenied } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { SyncParts } from '../parts.ts';

type Caller = Pick<RequestContext, 'mustBeAllowed' | 'reaches'>;

/**
 * The caller that sends a secret to a destination, or ends that, must be allowed to read it.
 * @throws AppError `permission-denied` that names the secret
 * @throws AppError `bad-request` when the mount cannot be synced
 */
export async function requireSecretRead(
  { readPath, syncedMounts }: Pick<SyncParts, 'readPath' | 'syncedMounts'>,
  caller: Caller,
  mount: Mount,
  secretName: string,
): Promise<void> {
  const path = readPath(mount, secretName);
  if (path === undefined) {
    if (!(await caller.reaches(mount.path))) throw permissionDenied();
    throw notSynced(mount, syncedMounts);
  }
  try {
    await caller.mustBeAllowed('read', path);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    const name = mount.path.replace(/\/$/, '');
    throw new AppError(
      'permission-denied',
      `permission denied to read the content of the secret ${secretName} in mount ${name}`,
      { cause },
    );
  }
}

const notSynced = ({ path }: Mount, syncedMounts: string): AppError =>
  badField(
    'mount',
    `mount ${JSON.stringify(path)} is not a ${syncedMounts} mount: only secrets of ${syncedMounts} mounts can be synced`,
  );
