import { LongText } from './long-text.ts';

/**
 * JSON that preserves the digits of numbers: `12345678901234567890`, `1.0` and `1e400` are written as they were read. A number
 * that JavaScript would print differently becomes a raw JSON value, which `JSON.stringify` prints verbatim.
 */
export type Json =
  | null
  | boolean
  | number
  | string
  | RawNumber
  | LongText
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A value made by `JSON.rawJSON`; `rawJSON` is the number's text. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface RawJsonApi {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
// Node 24 has these members, but TypeScript's library types do not declare them yet.
const json = JSON as unknown as RawJsonApi;

/** Only a text with such a token can lose digits, so the plain parser reads most texts. */
const risky = /\d{16}|\d[.eE]|-0/;

/** @throws SyntaxError when the text is not JSON. */
export function parseJson(text: string): Json {
  if (!risky.test(text)) return JSON.parse(text) as Json;
  return json.parse(text, keepDigits) as Json;
}

export const isRawNumber = (value: unknown): value is RawNumber => json.isRawJSON(value);

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isRawNumber(value) &&
  !(value instanceof LongText);

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value !== 'number' || context.source === undefined ? value : withDigits(value, context.source);
}

/** The number with this JSON text. */
export const numberOf = (source: string): number | RawNumber => withDigits(Number(source), source);

const withDigits = (value: number, source: string): number | RawNumber =>
  String(value) === source ? value : json.rawJSON(source);
