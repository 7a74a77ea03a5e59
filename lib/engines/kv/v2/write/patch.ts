import { type Kysely, sql } from 'kysely';
import { badRequest, notFound } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { Reply, ReplyContent } from '../../../../path/contract/reply.ts';
import type { RequestContext } from '../../../../path/contract/request.ts';
import type { Database } from '../../../../store/tables.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { type Opening, openStored, secretOf, storedData } from '../../shared/stored-version.ts';
import { type Authors, patchAuthors } from '../attribution.ts';
import { openCustomMetadata } from '../metadata/custom.ts';
import type { KvParts } from '../parts.ts';
import type { VersionRow } from '../read/read.ts';
import { replyAfter, showVersion, unreadable } from '../read/reply.ts';
import { isReadable } from '../versions/rules.ts';
import { casRefusal } from '../versions/versions.ts';
import { mergePatch } from './merge-patch.ts';
import { mustNotBeTooLarge } from './patched-size.ts';
import { casOf, dataOf, type Given, showWritten } from './secret.ts';
import type { NewVersion, WrittenRow } from './statement.ts';
import { type LockedSecret, lockSecret, newVersion, writeLockedVersion } from './write.ts';

interface Patch {
  readonly data: JsonObject;
  readonly cas: number | undefined;
  readonly by: Authors;
  readonly hold: RequestContext['hold'];
}

type Patched = { readonly written: WrittenRow } | { readonly refusal: ReplyContent };

/** Reads the current version, applies a merge patch and writes the outcome as a new version, all under the row's lock. */
export async function patchSecret(
  parts: KvParts,
  location: SecretLocation,
  given: Given,
  context: RequestContext,
): Promise<Reply> {
  const patch = { data: dataOf(given), cas: casOf(given), by: patchAuthors(context.caller), hold: context.hold };
  const patched = await parts.store.transaction((tx) => patchLocked(parts, tx, location, patch));
  if ('refusal' in patched) return patched.refusal;
  return replyAfter(parts, patched.written.dirty, showWritten(parts, location, patched.written));
}

async function patchLocked(
  parts: KvParts,
  tx: Kysely<Database>,
  location: SecretLocation,
  patch: Patch,
): Promise<Patched> {
  const secret = await lockSecret(tx, location);
  if (secret === undefined) throw notFound();
  const { row, casRequired } = await readCurrent(tx, location, secret);
  const refusal = casRefusal(patch.cas, casRequired, secret.current_version);
  if (refusal !== undefined) throw badRequest(refusal);
  if (row === undefined) throw notFound();
  if (row.bytes === null || !row.readable) return { refusal: deleted(parts, location, secret, row) };
  const version = await patchedVersion(parts, tx, location, { ...patch, cas: secret.current_version }, row);
  return { written: await writeLockedVersion(tx, version) };
}

/** The version to write. The secret as it was, and as it is to be, are not held while it is being written. */
async function patchedVersion(
  parts: KvParts,
  tx: Kysely<Database>,
  location: SecretLocation,
  { data, cas, by, hold }: Patch,
  row: StoredVersion,
): Promise<NewVersion> {
  const opening = { db: tx, barrier: parts.store.barrier, hold };
  const merged = mergePatch(await storedSecret(opening, location, row), data);
  await mustNotBeTooLarge(merged, parts.secretBytesMax);
  return newVersion(parts, { ...location, data: merged, cas, by });
}

async function storedSecret(opening: Opening, location: SecretLocation, row: StoredVersion): Promise<JsonObject> {
  const json = await openStored(opening, { ...location, id: row.id, version: row.version }, row);
  if (json === undefined) throw notFound();
  return secretOf(json);
}

type StoredVersion = Omit<VersionRow, 'custom_metadata'>;

async function readCurrent(
  tx: Kysely<Database>,
  { mountId, path }: SecretLocation,
  secret: LockedSecret,
): Promise<{ readonly row: StoredVersion | undefined; readonly casRequired: boolean }> {
  const { rows } = await sql<StoredVersion>`
    select version, id, ${storedData}, created_time, deletion_time, destroyed, ${isReadable} as readable from kv_versions v
     where mount_id = ${mountId}::uuid and path = ${path} and version = ${secret.current_version}::int`.execute(tx);
  const settings = await tx
    .selectFrom('kv_mounts')
    .select('cas_required')
    .where('mount_id', '=', mountId)
    .executeTakeFirst();
  return { row: rows[0], casRequired: secret.cas_required || settings?.cas_required === true };
}

const deleted = (
  { store }: KvParts,
  location: SecretLocation,
  secret: LockedSecret,
  row: StoredVersion,
): ReplyContent => unreadable(showVersion(row, openCustomMetadata(store.barrier, location, secret.custom_metadata)));
