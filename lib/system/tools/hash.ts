import { createHash } from 'node:crypto';
import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import { decoded, encoded } from './encoding.ts';

/** Algorithm names of the API family and of the cryptographic library. */
const algorithms: ReadonlyMap<string, string> = new Map([
  ['sha2-224', 'sha224'],
  ['sha2-256', 'sha256'],
  ['sha2-384', 'sha384'],
  ['sha2-512', 'sha512'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
]);
const inputCharactersMax = 1_048_576;

const fields = {
  input: text(inputCharactersMax).optional().meta({ description: 'The data to hash, in base64' }),
  format: text(64).optional().meta({ description: 'hex or base64; hex by default' }),
};
const algorithm = `One of ${[...algorithms.keys()].join(', ')}`;

/** `sys/tools/hash`, with the algorithm in the body or in the path. */
export function hashRows(): readonly Row[] {
  const help = 'Returns the hash of the input.';
  const summary = 'Hash the input';
  const inBody = {
    ...fields,
    algorithm: text(64)
      .optional()
      .meta({ description: `${algorithm}; sha2-256 by default` }),
  };
  const inPath = { ...fields, algorithm: pathText(algorithm) };
  return [
    {
      pattern: 'tools/hash',
      help,
      operations: { write: operation(inBody, { summary, run: async (input) => hash(input) }) },
    },
    {
      pattern: 'tools/hash/:algorithm',
      help,
      operations: { write: operation(inPath, { summary, run: async (input) => hash(input) }) },
    },
  ];
}

interface Wanted {
  readonly input?: string | undefined;
  readonly format?: string | undefined;
  readonly algorithm?: string | undefined;
}

function hash({ input = '', format = 'hex', algorithm: name = 'sha2-256' }: Wanted): Reply {
  const known = algorithms.get(name);
  if (known === undefined) throw badField('algorithm', `unsupported algorithm ${JSON.stringify(name)}`);
  return { data: { sum: encoded(createHash(known).update(decoded(input)).digest(), format) } };
}
