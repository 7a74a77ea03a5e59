import { sql } from 'kysely';
import { z } from 'zod';
import type { Reply } from '#path/contract/reply.ts';
import { durationText } from '#path/duration-text.ts';
import { type Dirty, markDirty, ofSecret } from '#store/outbox.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { jsonOf, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { kvSecretsTable } from '#store/tables/secrets.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { attribution } from '../attribution.ts';
import type { KvParts } from '../parts.ts';
import { replyAfter, timeText } from '../read/reply.ts';
import { openCustomMetadata } from '../rules/custom-metadata.ts';

/** Number, times as text, whether it is destroyed, and the authors of its creation and deletion. */
const versionLine = z
  .tuple([z.number(), z.string(), z.string().nullable(), z.boolean(), attribution.nullable(), attribution.nullable()])
  .readonly();

type VersionLine = z.infer<typeof versionLine>;

const { mount_id, path, revision, ...secretColumns } = kvSecretsTable;
const metadataColumns = {
  ...secretColumns,
  last_updated_by: nullable(jsonOf(attribution)),
  /** In ascending order. */
  versions: jsonOf(z.array(versionLine).readonly()),
};

type MetadataRow = RowOf<typeof metadataColumns>;

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
  const { rows } = await rowsOf(metadataColumns)`
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

/** Deletes a secret with its versions. Does nothing when it does not exist. */
export async function deleteSecret(parts: KvParts, { mountId, path }: SecretLocation): Promise<Reply> {
  const dirty = await parts.store.transaction(async (tx): Promise<readonly Dirty[]> => {
    const { rows } = await sql`
      delete from kv_secrets where mount_id = ${mountId}::uuid and path = ${path} returning 1`.execute(tx);
    return rows.length === 0 ? [] : (await markDirty(ofSecret(mountId, path)).execute(tx)).rows;
  });
  return replyAfter(parts, dirty);
}
