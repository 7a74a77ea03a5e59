import { isJsonObject, isRawNumber, type Json, parseJson } from '../../../core/json.ts';

/** Members of one secret, at most; what is beyond is looked for as part of the whole. */
const membersMax = 2_000;
/** A JSON text as a member of a JSON text: a key file that is kept in a secret, say. */
const levelsMax = 2;

/**
 * What is secret in a value: the value itself or, where it is JSON, each text and number in it. The names of members are none.
 *
 * @param open names of members that may be shown
 */
export function membersOf(value: string, open: ReadonlySet<string> = new Set()): readonly string[] {
  const found: string[] = [];
  gather(value, open, 0, found);
  return found;
}

function gather(text: string, open: ReadonlySet<string>, level: number, found: string[]): void {
  const json = level < levelsMax ? parsed(text) : undefined;
  if (json === undefined) return void found.push(text);
  // A text that was JSON by chance, or written in another way than JSON.stringify does, is itself a member as well.
  if (level > 0) found.push(text);
  const entries = [json];
  for (const entry of entries) {
    if (found.length >= membersMax) return void found.push(text);
    if (typeof entry === 'string') gather(entry, open, level + 1, found);
    else if (typeof entry === 'number') found.push(String(entry));
    else if (isRawNumber(entry)) found.push(entry.rawJSON);
    else if (Array.isArray(entry)) for (const one of entry) entries.push(one);
    else if (isJsonObject(entry))
      for (const [name, one] of Object.entries(entry)) if (!open.has(name)) entries.push(one);
  }
}

/** Undefined: no JSON object or list. */
function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
