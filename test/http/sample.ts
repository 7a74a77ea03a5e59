import type { Gatekeeper, Need } from '../../lib/auth/contract.ts';
import { AppError, badRequest, type ErrorKind } from '../../lib/core/errors.ts';
import type { Log } from '../../lib/core/log.ts';
import type { HttpParts } from '../../lib/http/parts.ts';
import { duration, jsonObject, pathText, text, textList } from '../../lib/path/fields.ts';
import { type Caller, type Engine, type Mount, type MountTable, operation, type Row } from '../../lib/path/row.ts';
import { typeName } from '../../lib/path/vocabulary.ts';

/** An engine that keeps what it is given, member by member, as key/value version 1 does. */
export function plainEngine(kept = new Map<string, object>()): Engine {
  const path = pathText('Path of the secret');
  const row: Row = {
    pattern: '*path',
    help: 'Keeps secrets.',
    exists: async ({ path: name }) => kept.has(String(name)),
    operations: {
      read: operation(
        { path },
        {
          summary: 'Read a secret',
          run: async (input) => {
            const data = kept.get(input.path);
            return data && { data, leaseDuration: 2_764_800 };
          },
        },
      ),
      list: operation(
        { path },
        {
          summary: 'List secrets',
          run: async (input) => {
            const keys = [...kept.keys()].filter((name) => name.startsWith(input.path));
            return { data: { keys: keys.map((name) => name.slice(input.path.length)) } };
          },
        },
      ),
      write: operation(
        { path },
        {
          summary: 'Write a secret',
          anyFields: true,
          run: async (input, { data }) => {
            kept.set(input.path, data ?? {});
            return undefined;
          },
        },
      ),
      delete: operation(
        { path },
        {
          summary: 'Delete a secret',
          run: async (input) => {
            kept.delete(input.path);
            return undefined;
          },
        },
      ),
    },
  };
  return { type: 'kv', rows: [row], matches: ({ options }) => options?.['version'] !== '2' };
}

/** An engine whose secrets are one object, under `data/`. */
export function versionedEngine(): Engine {
  const kept = new Map<string, object>();
  const path = pathText('Path of the secret');
  const write = operation(
    { path, data: jsonObject().meta({ description: 'The secret', sensitive: true }), options: jsonObject().optional() },
    {
      summary: 'Write a version',
      run: async (input) => {
        kept.set(input.path, input.data);
        return { data: { version: 1 } };
      },
    },
  );
  const rows: readonly Row[] = [
    {
      pattern: 'data/*path',
      help: 'A version.',
      operations: {
        read: operation(
          { path },
          { summary: 'Read', run: async (input) => ({ data: { data: kept.get(input.path) ?? null } }) },
        ),
        write,
        patch: write,
      },
    },
    {
      pattern: 'deleted',
      help: 'A version that is gone.',
      operations: {
        read: operation(
          {},
          { summary: 'Read', run: async () => ({ status: 404, data: { data: null, metadata: {} } }) },
        ),
      },
    },
  ];
  return {
    type: 'kv',
    rows,
    matches: ({ options }) => options?.['version'] === '2',
    unsupportedPathWarning: 'this mount has versions',
  };
}

const seen: { signal?: AbortSignal } = {};
/** The signal that the last `sys/slow` got. */
export const lastSignal = (): AbortSignal | undefined => seen.signal;

const reading = (run: Parameters<typeof operation>[1]['run'], marks: object = {}) =>
  operation({}, { summary: 'Read', ...marks, run });

/** Rows that show what handlers may answer. */
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
          throw new Error('marker-value in a driver message');
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
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
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
              data: { type: typeName(input.type, vocabulary), name: input.name },
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
  'permission-denied',
  'not-found',
  'unsupported-path',
  'unsupported-operation',
  'too-large',
  'unsupported-media',
  'too-many-requests',
  'upstream',
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

const caller = (accessor: string, root: boolean): Caller => ({
  tokenId: accessor,
  accessor,
  policies: [root ? 'root' : 'default'],
  displayName: accessor,
  entityId: '',
  root,
});

/** Knows the tokens `root` and `reader`; the reader may read below `secret/open/` and `sys/sync/`. */
export function fakeGatekeeper(): Gatekeeper & { readonly needs: Need[] } {
  const needs: Need[] = [];
  return {
    needs,
    async authenticate(token) {
      if (token === 'root') return caller('root', true);
      return token === 'reader' ? caller('reader', false) : undefined;
    },
    async authorise(who, need) {
      needs.push(need);
      if (who.root) return true;
      const open = need.path.startsWith('secret/open/') || need.path.startsWith('sys/');
      return open && !need.sudo;
    },
  };
}

export function mount(path: string, type: string, options: Mount['options'] = null): Mount {
  return {
    id: path,
    path,
    type,
    accessor: `${type}_00000000`,
    uuid: path,
    description: '',
    options,
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
    local: false,
    sealWrap: false,
  };
}

export function mountTable(mounts: readonly Mount[]): MountTable {
  return { resolve: async (path) => mounts.find((one) => path.startsWith(one.path)) };
}

/** A log that keeps its lines. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

export function sampleParts(changes: Partial<HttpParts> = {}): HttpParts {
  return {
    engines: [plainEngine(), versionedEngine(), systemEngine()],
    mounts: mountTable([
      mount('secret/', 'kv', { version: '1' }),
      mount('versioned/', 'kv', { version: '2' }),
      mount('team/secret/', 'kv', { version: '1' }),
      mount('odd/', 'unknown'),
      mount('sys/', 'system'),
    ]),
    gatekeeper: fakeGatekeeper(),
    state: () => 'ready',
    log: keptLog(),
    clock: { now: () => new Date(0) },
    bodyLimitBytes: 1024 * 1024,
    requestTimeoutMs: 10_000,
    ...changes,
  };
}
