import { isJsonObject, parseJson } from '#core/json/json.ts';
import { Secret } from '#core/secret.ts';
import type { DestinationFailure, FailureKind, Granularity } from '#destinations/contract.ts';
import { cannot } from '#destinations/frame/verb/verb.ts';

/** One object that the destination should hold. `subKey` is empty with granularity `secret-path`. */
export interface Entry {
  readonly subKey: string;
  readonly value: Secret;
}

/**
 * Splits a secret by granularity. `secret-path`: the whole data as one JSON text. `secret-key`: one entry per top-level key;
 * strings are pushed as they are, everything else as JSON, with numbers digit by digit.
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

/** Why a key is not pushed. The message names the key and says what to do; it never holds a value. */
export interface Refusal {
  readonly subKey: string;
  readonly name: string;
  readonly kind: FailureKind;
  readonly message: string;
}

/** PostgreSQL accepts neither NUL nor half a character in text or JSON, so storing the outcome of such a key would always fail. */
export const isStorable = (subKey: string): boolean => subKey.isWellFormed() && !subKey.includes('\0');

/** The refusal of a key that cannot be stored; the key is shown and recorded with escapes. */
export function unstorable(subKey: string): Refusal {
  const message = `key ${shown(subKey)} contains a character that cannot be stored: rename the key`;
  return { subKey: JSON.stringify(subKey).slice(1, -1), name: '', kind: 'name', message };
}

const rivalsShownMax = 4;
const keyShownMax = 80;

/** A key as messages show it: shortened if it is long, and never cut within a character. */
function shown(subKey: string): string {
  const letters = [...subKey];
  return JSON.stringify(letters.length > keyShownMax ? `${letters.slice(0, keyShownMax).join('')}...` : subKey);
}

/** The refusal of a key that shares its name with others. @param rivals the other keys with the same name */
export function collision(entry: Entry, name: string, rivals: readonly Entry[]): Refusal | undefined {
  if (rivals.length === 0) return undefined;
  const others = rivals.slice(0, rivalsShownMax).map((rival) => shown(rival.subKey));
  const more = rivals.length > rivalsShownMax ? ` and ${rivals.length - rivalsShownMax} more` : '';
  const message = `key ${shown(entry.subKey)} and ${others.join(', ')}${more} have the same name ${JSON.stringify(name)} at the destination: rename a key or change secret_name_template`;
  return { subKey: entry.subKey, name, kind: 'conflict', message };
}

/** The refusal of a name or value that the driver would reject, in the driver's words. Undefined when both are accepted. */
export function refused(entry: Entry, name: string, failure: DestinationFailure | undefined): Refusal | undefined {
  if (failure === undefined) return undefined;
  const { kind, message } = cannot(`write secret ${name}`, failure);
  return { subKey: entry.subKey, name, kind, message };
}
