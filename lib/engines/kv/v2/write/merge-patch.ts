import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts';

/** RFC 7396 on objects: null removes, objects merge, everything else replaces. What is not named stays where it was. */
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
