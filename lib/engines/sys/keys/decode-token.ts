import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';

const charactersMax = 4_096;

const fields = {
  encoded_token: text(charactersMax).nullish().meta({ description: 'The token as `generate-root/update` gave it.' }),
  otp: text(charactersMax).nullish().meta({ description: 'The one-time pad it was made with.', sensitive: true }),
};

/** `sys/decode-token`: takes the one-time pad off a token. Whoever has both could do it himself. */
export const decodeTokenRow: Row = {
  pattern: 'decode-token',
  help: 'Takes the one-time pad off a root token that was generated.',
  operations: {
    write: operation(fields, {
      summary: 'Decodes a token.',
      unauthenticated: true,
      ignoresToken: true,
      async run({ encoded_token: encoded, otp }) {
        if (!encoded) throw badRequest('missing encoded token');
        if (!otp) throw badRequest('missing otp');
        return { data: { token: decoded(encoded, otp) } };
      },
    }),
  },
};

function decoded(encoded: string, otp: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw badRequest('the encoded token is no base64');
  const [bytes, pad] = [Buffer.from(encoded, 'base64'), Buffer.from(otp)];
  if (bytes.length !== pad.length) throw badRequest('the otp is not as long as the token');
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index] ?? 0))).toString();
}
