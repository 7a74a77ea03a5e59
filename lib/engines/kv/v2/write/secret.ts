import { badField } from '#core/errors.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { Caller } from '#path/contract/request.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { authorsOf } from '../attribution.ts';
import { replyAfter, type ShownVersion, showVersion } from '../read/reply.ts';
import { openCustomMetadata } from '../rules/custom-metadata.ts';
import { readCas } from '../rules/versions.ts';
import type { WrittenRow } from './statement.ts';
import type { WriteParts } from './write.ts';

/** The input of a write or patch. */
export interface Given {
  readonly data?: JsonObject | null | undefined;
  readonly options?: JsonObject | undefined;
}

/** Writes a new version. @throws AppError `bad-request` without a path or data, or when cas refuses */
export async function writeSecret(
  parts: WriteParts,
  location: SecretLocation,
  given: Given,
  caller: Caller | undefined,
): Promise<Reply> {
  if (location.path === '') throw badField('path', 'missing path');
  // Clients send null for an empty map.
  const data = given.data === null ? {} : dataOf(given);
  const written = await parts.writeVersion({ ...location, data, cas: casOf(given), by: authorsOf(caller) });
  return replyAfter(parts, written.dirty, showWritten(parts, location, written));
}

/** The reply to a write. */
export function showWritten({ store }: WriteParts, location: SecretLocation, written: WrittenRow): ShownVersion {
  const { version, created_time, deletion_time } = written;
  const customMetadata = openCustomMetadata(store.barrier, location, written.custom_metadata);
  return showVersion({ version, created_time, deletion_time, destroyed: false }, customMetadata);
}

export function dataOf({ data }: Given): JsonObject {
  if (data === undefined || data === null) throw badField('data', 'no data provided');
  return data;
}

/** Undefined when the write has no check-and-set parameter. */
export function casOf({ options }: Given): number | undefined {
  if (options === undefined || !Object.hasOwn(options, 'cas')) return undefined;
  const cas = readCas(options['cas']);
  if (cas === 'unreadable') throw badField('options.cas', 'error parsing check-and-set parameter');
  return cas;
}
