import { randomBytes } from 'node:crypto';
import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { integer, pathText, text } from '#path/fields.ts';
import { encoded } from './encoding.ts';

const bytesMax = 131_072;
const bytesDefault = 32;
/** There is one source; the others are names that clients may send. */
const sources: ReadonlySet<string> = new Set(['platform', 'seal', 'all']);

const fields = {
  bytes: integer()
    .optional()
    .meta({ description: `Number of bytes, from 1 to ${bytesMax}; ${bytesDefault} by default` }),
  format: text(64).optional().meta({ description: 'base64 or hex; base64 by default' }),
  source: text(64)
    .optional()
    .meta({ description: 'platform, seal or all; each uses the random source of the machine' }),
};
const summary = 'Generate random bytes';

/** `sys/tools/random`, with the number of bytes, the source or both in the path. */
export function randomRows(): readonly Row[] {
  const { source: _inBody, ...rest } = fields;
  const { bytes: _given, ...format } = rest;
  const help = 'Generates cryptographically secure random bytes.';
  const inPath = pathText('The source, or the number of bytes');
  return [
    {
      pattern: 'tools/random',
      help,
      operations: { write: operation(fields, { summary, run: async (input) => random(input) }) },
    },
    {
      pattern: 'tools/random/:source',
      help,
      operations: {
        write: operation(
          { ...rest, source: inPath },
          {
            summary,
            run: async (input) =>
              random(
                sources.has(input.source)
                  ? input
                  : { ...input, source: undefined, bytes: numberIn('source', input.source) },
              ),
          },
        ),
      },
    },
    {
      pattern: 'tools/random/:source/:bytes',
      help,
      operations: {
        write: operation(
          { ...format, source: inPath, bytes: pathText('Number of bytes') },
          {
            summary,
            run: async (input) => random({ ...input, bytes: numberIn('bytes', input.bytes) }),
          },
        ),
      },
    },
  ];
}

interface Wanted {
  readonly bytes?: number | undefined;
  readonly format?: string | undefined;
  readonly source?: string | undefined;
}

function random({ bytes = bytesDefault, format = 'base64', source = 'platform' }: Wanted): Reply {
  if (bytes < 1) throw badField('bytes', '"bytes" cannot be less than 1');
  if (bytes > bytesMax) throw badField('bytes', `"bytes" should be less than ${bytesMax}`);
  if (!sources.has(source))
    throw badField(
      'source',
      `unsupported entropy source ${JSON.stringify(source)}; must be "platform", "seal" or "all"`,
    );
  return { data: { random_bytes: encoded(randomBytes(bytes), format) } };
}

function numberIn(field: 'source' | 'bytes', given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw badField(field, `error parsing url-set byte count: ${JSON.stringify(given)} is not an integer`);
}
