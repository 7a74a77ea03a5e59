import { badRequest } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { Reply } from '../../../../path/contract/reply.ts';
import type { Caller } from '../../../../path/contract/request.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { authorsOf } from '../attribution.ts';
import { openCustomMetadata } from '../metadata/custom.ts';
import type { KvParts } from '../parts.ts';
import { replyAfter, type ShownVersion, showVersion } from '../read/reply.ts';
import { readCas } from '../versions/versions.ts';
import type { WrittenRow } from './statement.ts';

/** What a write or patch brings. */
export interface Given {
  readonly data?: JsonObject | null | undefined;
  readonly options?: JsonObject | undefined;
}

/** Writes a new version. @throws AppError `bad-request` without a path or data, or when cas refuses */
export async function writeSecret(
  parts: KvParts,
  location: SecretLocation,
  given: Given,
  caller: Caller | undefined,
): Promise<Reply> {
  if (location.path === '') throw badRequest('missing path');
  // Clients send null for a map that they have not filled.
  const data = given.data === null ? {} : dataOf(given);
  const written = await parts.writeVersion({ ...location, data, cas: casOf(given), by: authorsOf(caller) });
  return replyAfter(parts, written.dirty, showWritten(parts, location, written));
}

/** What a write answers. */
export function showWritten({ store }: KvParts, location: SecretLocation, written: WrittenRow): ShownVersion {
  const { version, created_time, deletion_time } = written;
  const customMetadata = openCustomMetadata(store.barrier, location, written.custom_metadata);
  return showVersion({ version, created_time, deletion_time, destroyed: false }, customMetadata);
}

export function dataOf({ data }: Given): JsonObject {
  if (data === undefined || data === null) throw badRequest('no data provided');
  return data;
}

/** Undefined: written whatever the current version is, unless cas is required. */
export function casOf({ options }: Given): number | undefined {
  if (options === undefined || !Object.hasOwn(options, 'cas')) return undefined;
  const cas = readCas(options['cas']);
  if (cas === 'unreadable') throw badRequest('error parsing check-and-set parameter');
  return cas;
}
