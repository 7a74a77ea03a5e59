import type { Kysely } from 'kysely';
import { badField, notFound } from '#core/errors.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { type Opening, openStored, secretOf, storedData } from '../../shared/stored-version.ts';
import { type Authors, patchAuthors } from '../attribution.ts';
import { storedVersionColumns } from '../read/read.ts';
import { replyAfter, showVersion, unreadable } from '../read/reply.ts';
import { openCustomMetadata } from '../rules/custom-metadata.ts';
import { casRefusal, isReadable } from '../rules/versions.ts';
import { mergePatch, mustNotBeTooLarge } from './merge-patch.ts';
import { casOf, dataOf, type Given, showWritten } from './secret.ts';
import type { NewVersion, WrittenRow } from './statement.ts';
import { type LockedSecret, lockSecret, newVersion, type WriteParts, writeLockedVersion } from './write.ts';

interface Patch {
  readonly data: JsonObject;
  readonly cas: number | undefined;
  readonly by: Authors;
  readonly hold: RequestContext['hold'];
}

type Patched = { readonly written: WrittenRow } | { readonly refusal: ReplyWith<404> };

/** Reads the current version, applies a merge patch and writes the result as a new version, all while the row is locked. */
export async function patchSecret(
  parts: WriteParts,
  location: SecretLocation,
  given: Given,
  context: RequestContext,
): Promise<Reply | ReplyWith<404>> {
  const patch = { data: dataOf(given), cas: casOf(given), by: patchAuthors(context.caller), hold: context.hold };
  const patched = await parts.store.transaction((tx) => patchLocked(parts, tx, location, patch));
  if ('refusal' in patched) return patched.refusal;
  return replyAfter(parts, patched.written.dirty, showWritten(parts, location, patched.written));
}

async function patchLocked(
  parts: WriteParts,
  tx: Kysely<Database>,
  location: SecretLocation,
  patch: Patch,
): Promise<Patched> {
  const secret = await lockSecret(tx, location);
  if (secret === undefined) throw notFound();
  const { row, casRequired } = await readCurrent(tx, location, secret);
  const refusal = casRefusal(patch.cas, casRequired, secret.current_version);
  if (refusal !== undefined) throw badField('options.cas', refusal);
  if (row === undefined) throw notFound();
  if (row.bytes === null || !row.readable) return { refusal: deleted(parts, location, secret, row) };
  const version = await patchedVersion(parts, tx, location, { ...patch, cas: secret.current_version }, row);
  return { written: await writeLockedVersion(tx, version) };
}

/** Builds the version to write. Neither the old nor the new secret stays in memory during the write. */
async function patchedVersion(
  parts: WriteParts,
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

type StoredVersion = RowOf<typeof storedVersionColumns>;

async function readCurrent(
  tx: Kysely<Database>,
  { mountId, path }: SecretLocation,
  secret: LockedSecret,
): Promise<{ readonly row: StoredVersion | undefined; readonly casRequired: boolean }> {
  const { rows } = await rowsOf(storedVersionColumns)`
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
  { store }: WriteParts,
  location: SecretLocation,
  secret: LockedSecret,
  row: StoredVersion,
): ReplyWith<404> => unreadable(showVersion(row, openCustomMetadata(store.barrier, location, secret.custom_metadata)));
