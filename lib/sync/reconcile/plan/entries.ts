import { isJsonObject, parseJson } from '../../../core/json.ts';
import { Secret } from '../../../core/secret.ts';
import type { DestinationFailure, FailureKind, Granularity } from '../../../destinations/contract.ts';
import { cannot } from '../../../destinations/frame/verb/verb.ts';

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

/** Why a key is not pushed. Its message names the key and says what to do; it never holds a value. */
export interface Refusal {
  readonly subKey: string;
  readonly name: string;
  readonly kind: FailureKind;
  readonly message: string;
}

/** PostgreSQL takes neither in a text or in JSON, so what is written back of the key would fail, for good. */
export const isStorable = (subKey: string): boolean => subKey.isWellFormed() && !subKey.includes('\0');

/** The key is shown, and recorded, with escapes in it. */
export function unstorable(subKey: string): Refusal {
  const message = `key ${shown(subKey)} holds a character that cannot be stored: rename the key`;
  return { subKey: JSON.stringify(subKey).slice(1, -1), name: '', kind: 'name', message };
}

const rivalsShownMax = 4;
const keyShownMax = 80;

/** A key for a message, which has to stay short: it is cut, and never within a character. */
function shown(subKey: string): string {
  const letters = [...subKey];
  return JSON.stringify(letters.length > keyShownMax ? `${letters.slice(0, keyShownMax).join('')}...` : subKey);
}

/** `rivals`: the other keys that come to the same name. None: no refusal. */
export function collision(entry: Entry, name: string, rivals: readonly Entry[]): Refusal | undefined {
  if (rivals.length === 0) return undefined;
  const others = rivals.slice(0, rivalsShownMax).map((rival) => shown(rival.subKey));
  const more = rivals.length > rivalsShownMax ? ` and ${rivals.length - rivalsShownMax} more` : '';
  const message = `key ${shown(entry.subKey)} and ${others.join(', ')}${more} have the same name ${JSON.stringify(name)} at the destination: rename a key or change secret_name_template`;
  return { subKey: entry.subKey, name, kind: 'conflict', message };
}

/** A name or value that does not fit, in the words of the driver that would refuse it. Undefined: both fit. */
export function refused(entry: Entry, name: string, failure: DestinationFailure | undefined): Refusal | undefined {
  if (failure === undefined) return undefined;
  const { kind, message } = cannot(`write secret ${name}`, failure);
  return { subKey: entry.subKey, name, kind, message };
}
