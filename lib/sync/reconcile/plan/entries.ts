import { isJsonObject, parseJson } from '../../../core/json.ts';
import { Secret } from '../../../core/secret.ts';
import type { Granularity } from '../../../destinations/contract.ts';

/** One thing to hold at the destination. `subKey` is empty with granularity `secret-path`. */
export interface Entry {
  readonly subKey: string;
  readonly value: Secret;
}

/**
 * Splits a secret by granularity. `secret-path`: the whole data as one JSON text. `secret-key`: one entry per top-level
 * key; a text goes as it is, everything else as JSON, numbers with their digits.
 */
export function toEntries(json: string, granularity: Granularity): readonly Entry[] {
  if (granularity === 'secret-path') return [{ subKey: '', value: new Secret(json) }];
  const data = parseJson(json);
  if (!isJsonObject(data)) return [];
  return Object.entries(data).map(([subKey, value]) => ({
    subKey,
    value: new Secret(typeof value === 'string' ? value : JSON.stringify(value)),
  }));
}
