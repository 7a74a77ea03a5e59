import { badRequest } from '../../../core/errors.ts';
import { randomBase62 } from '../../../core/ids.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';
import type { RootTokenStatus } from '../../../store/seal/attempts/contract.ts';
import { givenFields, mustBeBare, mustBeGiven } from './fields.ts';
import { attemptMarks, type KeyRowParts } from './parts.ts';

/** Of a service token, and so of the one-time pad that it is combined with. */
const tokenCharacters = 28;

const fields = {
  otp: text(1_024)
    .nullish()
    .meta({
      description: `A one-time pad of ${tokenCharacters} characters; without it one is made.`,
      sensitive: true,
    }),
  pgp_key: text().nullish().meta({ description: 'Not supported.' }),
};

/** `sys/generate-root/attempt` and `sys/generate-root/update`. */
export function rootTokenRows(parts: KeyRowParts): readonly Row[] {
  const { rootToken } = parts.attempts;
  const marks = attemptMarks(parts);
  return [
    {
      pattern: 'generate-root/attempt',
      help: 'Makes a root token for holders of key shares, who give them at `generate-root/update`.',
      operations: {
        read: operation(
          {},
          { ...marks, summary: 'How far it has come.', run: async () => ({ body: body(await rootToken.status()) }) },
        ),
        write: operation(fields, {
          ...marks,
          summary: 'Begins; the reply shows the one-time pad.',
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
            summary: 'Ends it without a token.',
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
      help: 'Takes one key share; with the automatic seal, a recovery key, or the key of the seal where there are none. The last one that is needed brings the encoded token.',
      operations: {
        write: operation(givenFields, {
          ...marks,
          summary: 'Gives one key share.',
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
  throw badRequest(`OTP string is wrong length: it has to have ${tokenCharacters} characters of ASCII`);
}

function body({ nonce, progress, required, combined }: RootTokenStatus): object {
  // Without padding, as clients of the family decode it.
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
