import { sql } from 'kysely';
import type { IndexedPaths } from '../../../store/postgres/folder-names.ts';

/** The paths of all secrets of a mount, deleted ones included: metadata is left of them. */
export const secretPaths = (mountId: string): IndexedPaths => ({
  path: sql`path`,
  of: sql`kv_secrets where mount_id = ${mountId}::uuid`,
});
