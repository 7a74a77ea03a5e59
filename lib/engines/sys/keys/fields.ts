import { badRequest } from '../../../core/errors.ts';
import { text } from '../../../path/fields.ts';

const shareCharactersMax = 1_024;

/** Of requests that give one key share to an attempt. */
export const givenFields = {
  key: text(shareCharactersMax).nullish().meta({ description: 'One key share, as hex or base64.', sensitive: true }),
  nonce: text(shareCharactersMax).nullish().meta({ description: 'The nonce of the attempt that the share is for.' }),
};

/** @throws AppError `bad-request` for what is missing */
export function mustBeGiven(input: {
  readonly key?: string | null | undefined;
  readonly nonce?: string | null | undefined;
}) {
  const { key, nonce } = input;
  if (!key) throw badRequest("'key' must be specified in request body as JSON");
  if (!nonce) throw badRequest("'nonce' must be specified in request body as JSON");
  return { key, nonce };
}

/** Whoever asks for encrypted keys must not get bare ones. */
export function mustBeBare(name: string, asked: boolean): void {
  if (asked) throw badRequest(`encrypting with ${name} is not supported: leave it out`);
}
