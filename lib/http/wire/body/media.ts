import { AppError, badRequest } from '../../../core/errors.ts';
import { type Headers, header } from '../exchange.ts';

const mergePatch = 'application/merge-patch+json';

/** @throws AppError `unsupported-media` or `bad-request` unless the body of a PATCH says that it is a merge patch. */
export function mustBeMergePatch(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') throw badRequest('mime: no media type');
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === mergePatch) return;
  throw new AppError('unsupported-media', `PATCH requires Content-Type of ${mergePatch}, provided ${mediaType}`);
}

/** A compressed body would be taken for broken JSON. @throws AppError `unsupported-media` */
export function mustBeUncompressed(headers: Headers): void {
  const coding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new AppError(
    'unsupported-media',
    'the request has a Content-Encoding: bodies are taken as they are, not compressed',
  );
}
