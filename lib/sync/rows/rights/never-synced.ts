import { badField } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { SyncParts } from '../parts.ts';

type Parts = Pick<SyncParts, 'store' | 'describeSecrets'>;

/** The secrets without those whose metadata forbids copies. */
export async function withoutNeverSynced(
  { store, describeSecrets }: Parts,
  mountId: string,
  secretNames: readonly string[],
): Promise<readonly string[]> {
  const described = await describeSecrets(store.db, mountId, secretNames);
  const refused = new Set(described.filter(({ neverSynced }) => neverSynced).map(({ name }) => name));
  return refused.size === 0 ? secretNames : secretNames.filter((name) => !refused.has(name));
}

/** @throws AppError `bad-request` when the metadata of the secret forbids copies */
export async function refuseNeverSynced(parts: Parts, mount: Pick<Mount, 'id' | 'path'>, secretName: string) {
  if ((await withoutNeverSynced(parts, mount.id, [secretName])).length > 0) return;
  const where = `${JSON.stringify(secretName)} in mount ${JSON.stringify(mount.path)}`;
  throw badField(
    'secret_name',
    `the secret ${where} is never synced: its custom_metadata says "sync": "never"; remove that pair first`,
  );
}
