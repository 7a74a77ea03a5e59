import { badField } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import type { RootTokenStatus } from '#store/seal/attempts/contract.ts';
import { attemptMarks, givenFields, type KeyRowParts, mustBeBare, mustBeGiven } from './parts.ts';

/** The length of a service token, and therefore of its one-time pad. */
const tokenCharacters = 28;

const fields = {
  otp: text(1_024)
    .nullish()
    .meta({
      description: `A one-time pad of ${tokenCharacters} characters; generated when absent`,
      sensitive: true,
    }),
  pgp_key: text().nullish().meta({ description: 'Not supported' }),
};

/** `sys/generate-root/attempt` and `sys/generate-root/update`. */
export function rootTokenRows(parts: KeyRowParts): readonly Row[] {
  const { rootToken } = parts.attempts;
  const marks = attemptMarks(parts);
  return [
    {
      pattern: 'generate-root/attempt',
      help: 'Generates a root token for holders of key shares, who provide them at `generate-root/update`.',
      operations: {
        read: operation(
          {},
          {
            ...marks,
            summary: 'Show the progress of the generation of a root token',
            run: async () => ({ body: body(await rootToken.status()) }),
          },
        ),
        write: operation(fields, {
          ...marks,
          summary: 'Start the generation of a root token; the reply shows the one-time pad',
          async run({ otp: given, pgp_key }) {
            mustBeBare('pgp_key', Boolean(pgp_key));
            const otp = given ? mustBePad(given) : randomBase62(tokenCharacters);
            return { body: { ...body(await rootToken.begin(otp)), otp: given ? '' : otp } };
          },
        }),
        delete: operation(
          {},
          {
            ...marks,
            summary: 'Cancel the generation of a root token',
            async run() {
              await rootToken.cancel();
              return undefined;
            },
          },
        ),
      },
    },
    {
      pattern: 'generate-root/update',
      help: 'Takes one key share; with the automatic seal, a recovery key, or the key of the seal if there are no recovery keys. The reply to the last required one contains the encoded token.',
      operations: {
        write: operation(givenFields, {
          ...marks,
          summary: 'Provide one key share for the root token',
          async run(input) {
            const { key, nonce } = mustBeGiven(input);
            return { body: body(await rootToken.give(key, nonce, parts.mintRootToken)) };
          },
        }),
      },
    },
  ];
}

function mustBePad(otp: string): string {
  if (Buffer.byteLength(otp) === tokenCharacters) return otp;
  throw badField('otp', `OTP string is wrong length: it must have ${tokenCharacters} ASCII characters`);
}

function body({ nonce, progress, required, combined }: RootTokenStatus): object {
  // Clients of the API family decode it without padding.
  const encoded = combined?.toString('base64').replace(/=+$/, '') ?? '';
  return {
    started: nonce !== undefined,
    nonce: nonce ?? '',
    progress,
    required,
    complete: combined !== undefined,
    encoded_token: encoded,
    encoded_root_token: encoded,
    pgp_fingerprint: '',
    otp: '',
    otp_length: tokenCharacters,
  };
}

const charactersMax = 4_096;

const encodedFields = {
  encoded_token: text(charactersMax).nullish().meta({ description: 'The token as returned by `generate-root/update`' }),
  otp: text(charactersMax).nullish().meta({ description: 'The one-time pad it was encoded with', sensitive: true }),
};

/** `sys/decode-token`: removes the one-time pad from a token. A caller who has both could do the same locally. */
export const decodeTokenRow: Row = {
  pattern: 'decode-token',
  help: 'Decodes a generated root token with its one-time pad.',
  operations: {
    write: operation(encodedFields, {
      summary: 'Decode a root token',
      unauthenticated: true,
      ignoresToken: true,
      async run({ encoded_token: encoded, otp }) {
        if (!encoded) throw badField('encoded_token', 'missing encoded token');
        if (!otp) throw badField('otp', 'missing otp');
        return { data: { token: decoded(encoded, otp) } };
      },
    }),
  },
};

function decoded(encoded: string, otp: string): string {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw badField('encoded_token', 'the encoded token is not base64');
  const [bytes, pad] = [Buffer.from(encoded, 'base64'), Buffer.from(otp)];
  if (bytes.length !== pad.length)
    throw badField(['encoded_token', 'otp'], 'the lengths of the otp and the token differ');
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index] ?? 0))).toString();
}
