import { isJsonObject, isRawNumber, type Json, parseJson } from '#core/json/json.ts';

/** The most members of one secret; when there are more, the whole text is one of the results. */
const membersMax = 2_000;
/** Levels of JSON within JSON: for example, a key file as a member of a secret. */
const levelsMax = 2;

/**
 * The secret texts in a value: the value itself or, if it is JSON, each text and number in it. Names of members are not secret.
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
  // The text is a member too: it may be JSON by chance, or formatted differently from JSON.stringify.
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

/** Returns undefined when the text is not a JSON object or list. */
function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
