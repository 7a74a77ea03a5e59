/**
 * JSON that keeps the digits of numbers: `12345678901234567890`, `1.0` and `1e400` come out as they went in
 * (reference core, section 0). A number that JavaScript would print otherwise becomes a raw JSON value, which
 * `JSON.stringify` prints verbatim.
 */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** What `JSON.rawJSON` makes; `rawJSON` is the number's text. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface RawJsonApi {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
// The types of TypeScript's library do not know these members yet; Node 24 has them.
const json = JSON as unknown as RawJsonApi;

/** Only a text that holds such a token can lose digits, so most texts take the plain parser. */
const risky = /\d{16}|\d[.eE]|-0/;

/** @throws SyntaxError when the text is not JSON. */
export function parseJson(text: string): Json {
  if (!risky.test(text)) return JSON.parse(text) as Json;
  return json.parse(text, keepDigits) as Json;
}

export const isRawNumber = (value: unknown): value is RawNumber => json.isRawJSON(value);

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Whether there is an object or list inside of more than `levelsMax` others. Goes level by level: deep values end recursions. */
export function isDeeperThan(json: Json, levelsMax: number): boolean {
  let level = [json].filter(hasMembers);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levelsMax) return true;
    level = level.flatMap((value) => Object.values(value).filter(hasMembers));
  }
  return false;
}

const hasMembers = (value: Json): value is readonly Json[] | JsonObject => Array.isArray(value) || isJsonObject(value);

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source) return value;
  return json.rawJSON(context.source);
}
