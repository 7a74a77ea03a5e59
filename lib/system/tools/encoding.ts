import { badField } from '#core/errors.ts';

/** @throws AppError `bad-request` for any format but `hex` and `base64` */
export function encoded(bytes: Buffer, format: string): string {
  if (format === 'hex' || format === 'base64') return bytes.toString(format);
  throw badField('format', `unsupported encoding format ${JSON.stringify(format)}; must be "hex" or "base64"`);
}

/** @throws AppError `bad-request` for invalid base64 */
export function decoded(input: string): Buffer {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(input))
    return Buffer.from(input, 'base64');
  throw badField(
    'input',
    'unable to decode input as base64: it has characters other than A-Z, a-z, 0-9, + and /, or a wrong length',
  );
}
