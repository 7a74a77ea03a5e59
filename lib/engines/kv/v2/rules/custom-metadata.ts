import { AppError, invalid } from '#core/errors.ts';
import { isJsonObject, isRawNumber, type JsonObject, parseJson } from '#core/json/json.ts';
import type { Barrier } from '#store/store.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';

export type CustomMetadata = Readonly<Record<string, string>>;

const pairsMax = 64;
const keyBytesMax = 128;
const valueBytesMax = 512;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
const failed = 'custom_metadata validation failed';

/**
 * Reads custom metadata from a request: strings; numbers and bools become strings.
 *
 * @throws AppError `bad-request` that names every broken rule
 */
export function readCustomMetadata(given: JsonObject): CustomMetadata {
  const pairs = Object.entries(given);
  if (pairs.length > pairsMax) {
    refuse([`payload must contain at most ${pairsMax} keys, provided ${pairs.length}`]);
  }
  const read = pairs.map(([key, value]) => [key, asText(value)] as const);
  refuse(read.flatMap(([key, value]) => problems(key, value)));
  return Object.fromEntries(read.map(([key, value]) => [key, value ?? '']));
}

/** Applies a merge patch (RFC 7396): null removes a key. The result must satisfy the same rules. */
export function patchCustomMetadata(before: CustomMetadata | null, patch: JsonObject): CustomMetadata {
  const merged = new Map<string, JsonObject[string]>(Object.entries(before ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return readCustomMetadata(Object.fromEntries(merged));
}

/** Whether the pairs forbid copies of the secret at destinations. */
export const isNeverSynced = (metadata: CustomMetadata | null): boolean => metadata?.['sync'] === 'never';

/** Null when there are no pairs to store. */
export function sealCustomMetadata(
  barrier: Barrier,
  location: SecretLocation,
  metadata: CustomMetadata,
): Buffer | null {
  return Object.keys(metadata).length === 0 ? null : barrier.seal(JSON.stringify(metadata), aad(location));
}

export function openCustomMetadata(
  barrier: Barrier,
  location: SecretLocation,
  sealed: Buffer | null,
): CustomMetadata | null {
  if (sealed === null) return null;
  const metadata = parseJson(barrier.open(sealed, aad(location)).toString());
  if (!isJsonObject(metadata)) throw new AppError('internal', 'stored custom metadata is not an object');
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)]));
}

const aad = ({ mountId, path }: SecretLocation): string => `kv_secrets/${mountId}/${path}`;

function asText(value: JsonObject[string] | undefined): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (isRawNumber(value)) return value.rawJSON;
  if (value === null) return '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function problems(key: string, value: string | undefined): readonly string[] {
  const name = JSON.stringify(key);
  if (value === undefined) return [`value for key ${name} is not a string`];
  const keyBytes = Buffer.byteLength(key);
  const valueBytes = Buffer.byteLength(value);
  return [
    ...(keyBytes > 0 && keyBytes <= keyBytesMax
      ? []
      : [`length of key ${name} is ${keyBytes} but must be 0 < len(key) <= ${keyBytesMax}`]),
    ...(valueBytes > 0 && valueBytes <= valueBytesMax
      ? []
      : [`length of value for key ${name} is ${valueBytes} but must be 0 < len(value) <= ${valueBytesMax}`]),
    ...(printable.test(key) ? [] : [`key ${name} contains unprintable characters`]),
    ...(printable.test(value) ? [] : [`value for key ${name} contains unprintable characters`]),
  ];
}

function refuse(texts: readonly string[]): void {
  if (texts.length > 0)
    throw invalid(texts.map((text) => ({ fields: ['custom_metadata'], text: `${failed}: ${text}`, rule: text })));
}
