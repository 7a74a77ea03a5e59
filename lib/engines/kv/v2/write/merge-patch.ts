import { inSlices } from '#core/concurrency/yielding.ts';
import { AppError } from '#core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '#core/json/json.ts';
import { isLongJson, jsonPieces } from '#core/json/write.ts';
import { jsonText } from '../../shared/sealing.ts';

/** Applies a merge patch (RFC 7396) to objects: null removes, objects merge, and any other value replaces. Members keep their order. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeMember(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

const mergeMember = (before: Json | undefined, patch: JsonObject): JsonObject =>
  mergePatch(before !== undefined && isJsonObject(before) ? before : {}, patch);

const atOnceCharactersMax = 65_536;

/**
 * Refuses a patched secret that is larger than a write may be. Otherwise patches could grow a secret until it cannot be read.
 *
 * @throws AppError `too-large`
 */
export async function mustNotBeTooLarge(data: JsonObject, bytesMax: number): Promise<void> {
  const bytes = isLongJson(data, atOnceCharactersMax)
    ? await bytesInTurns(data)
    : Buffer.byteLength(jsonText(data, ['data']));
  if (bytes <= bytesMax) return;
  const rule = `a secret may have at most ${bytesMax} bytes`;
  throw new AppError('too-large', `the patched secret is too large: ${rule}; nothing was changed`);
}

async function bytesInTurns(data: JsonObject): Promise<number> {
  const pieces = jsonPieces(data);
  let bytes = 0;
  await inSlices(() => {
    const { value, done } = pieces.next();
    bytes += Buffer.byteLength(value ?? '');
    return done === true;
  });
  return bytes;
}
