import { AppError, badRequest } from '#core/errors.ts';
import { type Headers, header } from '../exchange.ts';
import { type Data, fieldsOf } from './fields.ts';
import { notUtf8 } from './utf8.ts';

/** Bounds of forms, which are written by hand; programs send JSON. */
const charactersMax = 65_536;
const fieldsMax = 1_000;
const percentEncoded = /(?:%[0-9a-f]{2})+/gi;

/** Whether a body is a form. `curl -d '{…}'` declares its JSON as a form, so the first character decides first. */
export function isForm(text: string, contentType: string | undefined): boolean {
  if (contentType === undefined || text.startsWith('{') || text.startsWith('[')) return false;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** @throws AppError `too-large`, or `bad-request` for too many fields and for invalid UTF-8 */
export function readForm(text: string): Data {
  if (text.length > charactersMax) throw tooLongForm();
  if (text.split('&', fieldsMax + 1).length > fieldsMax)
    throw badRequest(`the form has more than ${fieldsMax} fields; send JSON`);
  for (const [bytes] of text.matchAll(percentEncoded)) mustBeUtf8(bytes);
  return fieldsOf(new URLSearchParams(text));
}

export const tooLongForm = (): AppError =>
  new AppError('too-large', `request body too large: a form takes at most ${charactersMax} bytes; send JSON`);

function mustBeUtf8(percentEncodedBytes: string): void {
  try {
    decodeURIComponent(percentEncodedBytes);
  } catch {
    throw notUtf8();
  }
}

const mergePatch = 'application/merge-patch+json';

/** @throws AppError `unsupported-media` or `bad-request` unless the content type of a PATCH is that of a merge patch */
export function mustBeMergePatch(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') throw badRequest('mime: no media type');
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === mergePatch) return;
  throw new AppError('unsupported-media', `PATCH requires Content-Type of ${mergePatch}, provided ${mediaType}`);
}

/** Refuses compressed bodies, which would otherwise be reported as broken JSON. @throws AppError `unsupported-media` */
export function mustBeUncompressed(headers: Headers): void {
  const coding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new AppError('unsupported-media', 'the request has a Content-Encoding: send the body uncompressed');
}
