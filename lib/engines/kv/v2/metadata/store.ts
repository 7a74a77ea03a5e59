import { sql } from 'kysely';
import { durationText } from '../../../../core/duration-text.ts';
import type { Reply } from '../../../../path/contract/reply.ts';
import { type Dirty, markDirty, ofSecret } from '../../../../store/outbox.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import type { Attribution } from '../../shared/tables.ts';
import type { KvParts } from '../parts.ts';
import { replyAfter, timeText } from '../read/reply.ts';
import { openCustomMetadata } from './custom.ts';

interface MetadataRow {
  readonly current_version: number;
  readonly oldest_version: number;
  readonly created_time: Date;
  readonly updated_time: Date;
  readonly max_versions: number;
  readonly cas_required: boolean;
  readonly delete_version_after: number;
  readonly custom_metadata: Buffer | null;
  readonly last_updated_by: Attribution | null;
  /** In order. */
  readonly versions: readonly VersionLine[];
}

/** Number, times as texts, destroyed, who made and deleted it. */
type VersionLine = readonly [
  version: number,
  created: string,
  deletion: string | null,
  destroyed: boolean,
  createdBy: Attribution | null,
  deletedBy: Attribution | null,
];

export async function readMetadata({ store }: KvParts, location: SecretLocation): Promise<Reply> {
  const row = await loadMetadata(store, location);
  if (row === undefined) return undefined;
  const { versions, created_time, updated_time, delete_version_after, custom_metadata, ...numbers } = row;
  return {
    data: {
      ...numbers,
      created_time: timeText(created_time),
      updated_time: timeText(updated_time),
      delete_version_after: durationText(delete_version_after),
      custom_metadata: openCustomMetadata(store.barrier, location, custom_metadata),
      versions: Object.fromEntries(versions.map(showLine)),
    },
  };
}

const showLine = ([version, created, deletion, destroyed, createdBy, deletedBy]: VersionLine) => [
  String(version),
  {
    created_time: new Date(created).toISOString(),
    deletion_time: timeText(deletion === null ? null : new Date(deletion)),
    destroyed,
    created_by: createdBy,
    deleted_by: deletedBy,
  },
];

async function loadMetadata(store: KvParts['store'], location: SecretLocation): Promise<MetadataRow | undefined> {
  const { rows } = await sql<MetadataRow>`
    select s.current_version, s.oldest_version, s.created_time, s.updated_time, s.max_versions, s.cas_required,
           s.delete_version_after, s.custom_metadata, s.last_updated_by,
           coalesce((
             select json_agg(json_build_array(v.version, v.created_time, v.deletion_time, v.destroyed, v.created_by,
                                              v.deleted_by) order by v.version)
               from kv_versions v
              where v.mount_id = s.mount_id and v.path = s.path and v.version >= s.oldest_version), '[]'::json) as versions
      from kv_secrets s where s.mount_id = ${location.mountId}::uuid and s.path = ${location.path}`.execute(store.db);
  return rows[0];
}

/** Deletes a secret with its versions. Absent: nothing to do. */
export async function deleteSecret(parts: KvParts, { mountId, path }: SecretLocation): Promise<Reply> {
  const dirty = await parts.store.transaction(async (tx): Promise<readonly Dirty[]> => {
    const { rows } = await sql`
      delete from kv_secrets where mount_id = ${mountId}::uuid and path = ${path} returning 1`.execute(tx);
    return rows.length === 0 ? [] : (await markDirty(ofSecret(mountId, path)).execute(tx)).rows;
  });
  return replyAfter(parts, dirty);
}
