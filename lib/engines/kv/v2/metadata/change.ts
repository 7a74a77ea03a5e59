import { type Kysely, sql } from 'kysely';
import { notFound } from '#core/errors.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type Dirty, markEnded, ofSecret } from '#store/outbox.ts';
import type { Database } from '#store/tables.ts';
import { whileMounted } from '../../shared/gathered-writes.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { loadSettings } from '../config.ts';
import type { KvParts } from '../parts.ts';
import { replyAfter } from '../read/reply.ts';
import {
  isNeverSynced,
  openCustomMetadata,
  patchCustomMetadata,
  readCustomMetadata,
  sealCustomMetadata,
} from '../rules/custom-metadata.ts';
import { lockSecret } from '../write/write.ts';

/** A change of a secret's settings. Undefined leaves a setting; null resets it. */
export interface MetadataChange {
  readonly max_versions?: number | null | undefined;
  readonly cas_required?: boolean | null | undefined;
  readonly delete_version_after?: number | null | undefined;
  readonly custom_metadata?: JsonObject | null | undefined;
}

/** Sets the given settings and creates the secret if needed. Does nothing when no setting is given. */
export async function writeMetadata(
  parts: KvParts,
  location: SecretLocation,
  change: MetadataChange,
  context: RequestContext,
): Promise<Reply> {
  if (Object.values(change).every((value) => value === undefined)) return undefined;
  const { store } = parts;
  const pairs = readCustomMetadata(change.custom_metadata ?? {});
  const sealed = sealCustomMetadata(store.barrier, location, pairs);
  const dirty = await whileMounted(async () => {
    if (isNeverSynced(pairs)) return store.transaction((tx) => upsertNeverSynced(tx, location, change, sealed));
    await upsert(store.db, location, change, sealed);
    return [];
  });
  await warnOfCas(parts, location, change, context);
  return afterEnding(parts, dirty, context);
}

/** Changes the given settings; null resets one. @throws AppError `not-found` when there is no such secret */
export async function patchMetadata(
  parts: KvParts,
  location: SecretLocation,
  change: MetadataChange,
  context: RequestContext,
): Promise<Reply> {
  const { store } = parts;
  const dirty = await store.transaction(async (tx) => {
    const secret = await lockSecret(tx, location);
    if (secret === undefined) throw notFound();
    const before = openCustomMetadata(store.barrier, location, secret.custom_metadata);
    const after = change.custom_metadata ? patchCustomMetadata(before, change.custom_metadata) : {};
    const sealed = sealCustomMetadata(store.barrier, location, after);
    if (isNeverSynced(after)) return upsertNeverSynced(tx, location, change, sealed);
    await upsert(tx, location, change, sealed);
    return [];
  });
  await warnOfCas(parts, location, change, context);
  return afterEnding(parts, dirty, context);
}

/** Associations that this transaction cannot see are made by one that waits for the secret, and then sees its metadata. */
async function upsertNeverSynced(
  tx: Kysely<Database>,
  location: SecretLocation,
  change: MetadataChange,
  sealed: Buffer | null,
): Promise<readonly Dirty[]> {
  await upsert(tx, location, change, sealed);
  return (await markEnded(ofSecret(location.mountId, location.path)).execute(tx)).rows;
}

function afterEnding(parts: KvParts, dirty: readonly Dirty[], context: RequestContext): Promise<Reply> {
  const copies = dirty.length === 1 ? 'the copy at 1 destination is' : `the copies at ${dirty.length} destinations are`;
  if (dirty.length > 0) context.warn(`custom_metadata says "sync": "never": ${copies} to be removed`);
  return replyAfter(parts, dirty);
}

/** `sealed` is used only when the change has custom metadata. */
async function upsert(
  db: Kysely<Database>,
  { mountId, path }: SecretLocation,
  change: MetadataChange,
  sealed: Buffer | null,
): Promise<void> {
  await sql`
    insert into kv_secrets as s (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                                 cas_required, delete_version_after, custom_metadata)
    values (${mountId}::uuid, ${path}, 0, 0, statement_timestamp(), statement_timestamp(), ${change.max_versions ?? 0}::int,
            ${change.cas_required ?? false}::bool, ${change.delete_version_after ?? 0}::int, ${sealed}::bytea)
    on conflict (mount_id, path) do update set
      max_versions = case when ${change.max_versions !== undefined}::bool then excluded.max_versions else s.max_versions end,
      cas_required = case when ${change.cas_required !== undefined}::bool then excluded.cas_required else s.cas_required end,
      delete_version_after = case when ${change.delete_version_after !== undefined}::bool
                                  then excluded.delete_version_after else s.delete_version_after end,
      custom_metadata = case when ${change.custom_metadata !== undefined}::bool
                             then excluded.custom_metadata else s.custom_metadata end,
      revision = s.revision + 1`.execute(db);
}

async function warnOfCas(
  { store }: KvParts,
  { mountId }: SecretLocation,
  { cas_required }: MetadataChange,
  context: RequestContext,
): Promise<void> {
  if (cas_required !== false || !(await loadSettings(store.db, mountId)).cas_required) return;
  context.warn(
    '"cas_required" is set to false, but the configuration of the mount requires it: the value has no effect.',
  );
}
