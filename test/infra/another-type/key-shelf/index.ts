import type { DestinationDefinition } from '#destinations/contract.ts';
import { publishedRate } from '#destinations/frame/rate.ts';
import { fields } from './fields.ts';
import { names } from './names.ts';

/** A made-up destination type: items on a shelf, each with a value, our mark and a version. */
export const definition = {
  type: 'key-shelf',
  alias: 'shelf',
  title: 'Key shelf',
  links: [{ title: 'The shelf', url: 'https://shelf.example.com/docs' }],
  fields,
  validate: () => [],
  granularity: 'secret-path',
  templates: {
    'secret-path': 'keyferry-{{ .MountAccessor }}-{{ .SecretPath }}',
    'secret-key': 'keyferry-{{ .MountAccessor }}-{{ .SecretPath }}-{{ .SecretKey }}',
  },
  names,
  valueBytesMax: 16 * 1024,
  rate: publishedRate(600, 60),
  rateAccount: ({ endpoint, token }) => [token, endpoint ?? ''],
  concurrencyMax: 4,
} satisfies DestinationDefinition<typeof fields>;
