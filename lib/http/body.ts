import { AppError, badRequest } from '../core/errors.ts';
import { isDeeperThan, isJsonObject, type Json, parseJson } from '../core/json.ts';

export type Data = Readonly<Record<string, unknown>>;

const noData: Data = Object.freeze({});
const mergePatch = 'application/merge-patch+json';
const levelsMax = 500;

/** A byte order mark is kept, for `readBody` to leave out. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const percentEncoded = /(?:%[0-9a-f]{2})+/gi;

/**
 * The text of a request's body. Bytes that are none would be kept as another text, so they are refused.
 *
 * @throws AppError `bad-request`
 */
export function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

/**
 * The members of a request's body. Anything but a form is JSON, whatever its content type says; an empty body and
 * `null` are no data.
 *
 * @throws AppError `bad-request`; its text tells the place of the mistake and nothing of the body.
 */
export function readBody(body: string | undefined, contentType: string | undefined): Data {
  const text = body?.trimStart() ?? '';
  if (text === '') return noData;
  if (isForm(text, contentType)) return formOf(text.trimEnd());
  const json = decode(text);
  if (json === null) return noData;
  if (!isJsonObject(json)) throw badRequest(`failed to decode JSON input: expected an object, got ${nameOf(json)}`);
  // A level takes two characters at least, so most bodies need no look.
  if (text.length > 2 * levelsMax && isDeeperThan(json, levelsMax))
    throw badRequest(`failed to decode JSON input: it is nested deeper than ${levelsMax} levels`);
  return json;
}

/** @throws AppError `unsupported-media` or `bad-request` unless the body of a PATCH says that it is a merge patch. */
export function mustBeMergePatch(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') throw badRequest('mime: no media type');
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === mergePatch) return;
  throw new AppError('unsupported-media', `PATCH requires Content-Type of ${mergePatch}, provided ${mediaType}`);
}

/** Parameters of a query or a form as fields: a repeated one is a list. */
export function fieldsOf(parameters: URLSearchParams, reserved: ReadonlySet<string> = new Set()): Data {
  if (parameters.size === 0) return noData;
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of parameters) {
    if (reserved.has(name)) continue;
    const there = fields.get(name);
    fields.set(name, there === undefined ? value : [there, value].flat());
  }
  return Object.fromEntries(fields);
}

/** `curl -d '{…}'` calls its JSON a form. */
function isForm(text: string, contentType: string | undefined): boolean {
  if (contentType === undefined || text.startsWith('{') || text.startsWith('[')) return false;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

function formOf(text: string): Data {
  for (const [bytes] of text.matchAll(percentEncoded)) mustBeUtf8(bytes);
  return fieldsOf(new URLSearchParams(text));
}

function mustBeUtf8(percentEncodedBytes: string): void {
  try {
    decodeURIComponent(percentEncodedBytes);
  } catch {
    throw notUtf8();
  }
}

const notUtf8 = (): AppError =>
  badRequest('the request body is not valid UTF-8: nothing was done; send binary values encoded, such as in Base64');

function decode(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    // No `cause`: the parser's message quotes the body.
    throw badRequest(`failed to decode JSON input: invalid JSON${placeOf(error)}`);
  }
}

/** The parser ends its message with the position, or with words when it has quoted the body. */
function placeOf(error: unknown): string {
  const found = error instanceof Error ? / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(error.message) : null;
  return found === null ? '' : ` at character ${found[1]}`;
}

function nameOf(json: Json): string {
  return Array.isArray(json) ? 'an array' : `a ${typeof json === 'object' ? 'number' : typeof json}`;
}
