import { AppError, badRequest, type ErrorKind } from '#core/errors.ts';
import type { Engine } from '#path/contract/engine.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration, pathText, text, textList } from '#path/fields.ts';
import { typeName } from '#path/vocabulary.ts';
import { aborted } from '../support/measures/aborted.ts';
import { allTypeNames } from '../support/type-names.ts';
import { reading } from './sample-secrets.ts';

const seen: { signal?: AbortSignal } = {};
/** The signal of the last request to `sys/slow`. */
export const lastSignal = (): AbortSignal | undefined => seen.signal;

/** Rows with the different replies of handlers. */
export function systemEngine(): Engine {
  const name = pathText('Name');
  const rows: readonly Row[] = [
    {
      pattern: 'health',
      help: 'Health.',
      operations: {
        read: reading(async () => ({ status: 200, body: { ok: true } }), { unauthenticated: true, whileSealed: true }),
      },
    },
    {
      pattern: 'seal',
      help: 'Seal.',
      operations: { write: operation({}, { summary: 'Seal', whileSealed: true, run: async () => undefined }) },
    },
    {
      pattern: 'open',
      help: 'Open.',
      operations: {
        read: reading(async (_input, { caller }) => ({ data: { caller: caller?.accessor ?? null } }), {
          unauthenticated: true,
        }),
      },
    },
    {
      pattern: 'connection',
      help: 'Connection.',
      operations: {
        read: reading(async (_input, { connection: { remoteAddress, tls } }) => ({ data: { remoteAddress, tls } })),
      },
    },
    { pattern: 'guarded', help: 'Guarded.', operations: { read: reading(async () => ({ data: {} }), { sudo: true }) } },
    {
      pattern: 'flat',
      help: 'Flat.',
      operations: { read: reading(async () => ({ data: { keys: ['a'] }, flat: true })) },
    },
    {
      pattern: 'empty/',
      help: 'Nothing.',
      operations: { list: reading(async () => ({ data: { keys: [], total: 0 } })) },
    },
    { pattern: 'summary/', help: 'No keys.', operations: { list: reading(async () => ({ data: { total: 0 } })) } },
    {
      pattern: 'nothing',
      help: 'Nothing.',
      operations: {
        read: reading(async () => undefined),
        write: reading(async () => undefined),
        list: reading(async () => undefined),
      },
    },
    {
      pattern: 'warned',
      help: 'Warned.',
      operations: {
        write: reading(async (_input, context) => {
          context.warn('look out');
          return undefined;
        }),
      },
    },
    {
      pattern: 'broken',
      help: 'Broken.',
      operations: {
        read: reading(async () => {
          throw new Error('marker-value in a driver message\n    at marker-value (of many lines)');
        }),
      },
    },
    {
      pattern: 'fail/:kind',
      help: 'Fails.',
      operations: {
        read: operation(
          { kind: pathText('Kind') },
          {
            summary: 'Fail',
            run: async (input) => {
              throw new AppError(asKind(input.kind), `it is ${input.kind}`);
            },
          },
        ),
      },
    },
    {
      pattern: 'slow',
      help: 'Slow.',
      operations: {
        read: reading(async (_input, { signal }) => {
          seen.signal = signal;
          await aborted(signal);
          return { data: {} };
        }),
      },
    },
    {
      pattern: 'allowed/*path',
      help: 'Asks on behalf of another path.',
      operations: {
        read: operation(
          { path: pathText('Path') },
          {
            summary: 'Ask',
            run: async (input, context) => {
              await context.mustBeAllowed('read', input.path);
              return { data: {} };
            },
          },
        ),
      },
    },
    {
      pattern: 'login',
      help: 'Login.',
      operations: {
        write: operation(
          {
            role: text(),
            password: text().meta({ description: 'Password', sensitive: true }),
            ttl: duration().optional(),
          },
          {
            summary: 'Log in',
            unauthenticated: true,
            run: async ({ role }) => ({ auth: { ...sampleAuth, metadata: { role } } }),
          },
        ),
      },
    },
    {
      pattern: 'sync/destinations/:type/:name',
      help: 'A destination.',
      exists: async ({ name: given }) => given === 'there',
      operations: {
        read: operation(
          { type: pathText('Type'), name },
          {
            summary: 'Read',
            run: async (input, { vocabulary }) => ({
              data: { type: typeName(allTypeNames, input.type, vocabulary), name: input.name },
            }),
          },
        ),
        write: operation(
          {
            type: pathText('Type'),
            name,
            allowed_ports: textList().optional(),
            token: text().optional().meta({ description: 'Token', sensitive: true }),
          },
          { summary: 'Write', run: async (input) => ({ data: { ...input } }) },
        ),
      },
    },
  ];
  return { type: 'system', rows };
}

const kinds: readonly ErrorKind[] = [
  'bad-request',
  'already-exists',
  'permission-denied',
  'not-found',
  'unsupported-path',
  'unsupported-operation',
  'too-large',
  'unsupported-media',
  'sealed',
  'unavailable',
  'internal',
];

function asKind(text: string): ErrorKind {
  const kind = kinds.find((known) => known === text);
  if (kind === undefined) throw badRequest('no such kind');
  return kind;
}

const sampleAuth = {
  client_token: 'hvs.sample',
  accessor: 'sample',
  policies: ['default'],
  token_policies: ['default'],
  lease_duration: 60,
  renewable: true,
  entity_id: '',
  token_type: 'service',
  orphan: true,
  num_uses: 0,
};
