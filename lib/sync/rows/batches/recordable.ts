import { AppError, badRequest } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type BatchAction, countedMax } from '../../batches/batch.ts';
import { type Matching, matchingAfter } from '../../batches/preview.ts';
import type { Selection } from '../../batches/walk.ts';
import type { SyncParts } from '../parts.ts';
import { requireSecretRead } from '../rights/secret-read.ts';

/** Whether the associations of a batch are recorded at its creation, because the caller needs the right to read each secret. */
export const isRecorded = (action: BatchAction): boolean => action === 'remove' || action === 'set';

/**
 * The associations that a batch sets or removes, at most `limit`. The caller must be allowed to read each of their secrets, as for
 * `associations/set` and `remove`. The sweep has no caller, so the rights are those of now, and only these associations are changed.
 *
 * @throws AppError `permission-denied` that names the secret only if the request did
 * @throws AppError `bad-request` when more match than a batch can record
 */
export async function recordable(
  parts: SyncParts,
  action: BatchAction,
  selection: Selection,
  limit: number | null,
  context: RequestContext,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const mounts = new Map<string, Mount | undefined>();
  const denied = withoutName(selection);
  for (let page: readonly Matching[] = []; ; ) {
    page = await matchingAfter(parts.store, selection, page.at(-1));
    if (page.length === 0) return ids;
    for (const { id, mountPath, secretName } of page) {
      if (limit !== null && ids.length >= limit) return ids;
      if (!mounts.has(mountPath)) mounts.set(mountPath, await parts.mounts.resolve(mountPath, context.namespace));
      const mount = mounts.get(mountPath);
      // An association that has outlived its mount has no path at which its secret could be read: as by a single request, it can be
      // removed but not set.
      const holds = mount?.path === mountPath && parts.readPath(mount, secretName) !== undefined;
      if (holds) await requireSecretRead(parts, context, mount, secretName).catch(denied);
      if (holds || action === 'remove') ids.push(id);
    }
    if (ids.length > countedMax)
      throw badRequest(`more than ${countedMax} associations match: change them in several batches`);
  }
}

/** A caller that may not read all secrets that match is not told which there are. */
const withoutName =
  ({ filter, secrets }: Selection) =>
  (cause: unknown): never => {
    const isNamed = filter.ids !== undefined || filter.secret !== undefined || secrets !== undefined;
    if (isNamed || !(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    throw new AppError(
      'permission-denied',
      'permission denied to read the content of every secret whose associations match',
      { cause },
    );
  };
