import { sql } from 'kysely';
import { AppError, invalid } from '#core/errors.ts';
import { rootNamespace } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import { engines } from '#engines/index.ts';
import { openMountTable } from '#mounts/table.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { Caller, RequestContext, Verb } from '#path/contract/request.ts';
import { compileTable } from '#path/table.ts';
import type { Dirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import { testStore } from '../store/stores.ts';

export const root: Caller = {
  token: new Secret('root'),
  namespace: rootNamespace,
  accessor: 'root',
  policies: ['root'],
  displayName: 'root',
  entityId: '',
  root: true,
  tokenType: 'service',
};

export const fixed = [
  { path: 'sys/', type: 'system', description: '' },
  { path: 'auth/token/', type: 'token', description: '' },
];

/** A new store with a mount table, which records what becomes dirty. */
export async function engineParts(poolSize = 5) {
  const store = await testStore({ poolSize });
  const notified: Dirty[] = [];
  const parts = {
    store,
    secretBytesMax: 1024 * 1024,
    changed: async (dirty: readonly Dirty[]) => {
      notified.push(...dirty);
      return [];
    },
    copiesOf: async () => ({ copies: [], total: 0, hidden: 0 }),
  };
  const rowParts = { methods: [{ type: 'knock' }], revokeBelow: async () => {} };
  return { ...parts, ...rowParts, parts, notified, engines, mounts: openMountTable({ store, engines, fixed }) };
}

/** Mounts kv and returns the mount. */
export async function mounted(
  mounts: ReturnType<typeof openMountTable>,
  path: string,
  options: Readonly<Record<string, string>> | null,
): Promise<Mount> {
  await mounts.enable({ path, type: 'kv', options });
  const mount = await mounts.find(path);
  if (mount === undefined) throw new Error(`no mount at ${path}`);
  return mount;
}

export interface Calling {
  readonly caller?: Caller | undefined;
  /** Default: whether there is a caller. */
  readonly tokenSent?: boolean;
  /** Default: only root has the capability. */
  readonly sudo?: boolean;
  /** What `mustBeAllowed` allows, as "verb path". */
  readonly allowed?: ReadonlySet<string>;
  /** Paths on or below which `reaches` finds a rule. Default: those of root, which are all. */
  readonly reached?: ReadonlySet<string>;
  readonly warn?: (message: string) => void;
}

export type Call = (verb: Verb, path: string, data?: Readonly<Record<string, unknown>>) => Promise<AnyReply>;

/** Calls the rows of an engine as the pipeline does: finds the row, reads the fields, runs the handler. */
export function calling(engine: Pick<Engine, 'rows'>, mount: Mount, options: Calling = {}): Call {
  const table = compileTable(engine.rows);
  return async (verb, path, data = {}) => {
    const match = table.find(path, verb);
    if (match?.operation === undefined) throw new AppError('unsupported-path', `no row answers ${verb} ${path}`);
    const parsed = match.operation.read({ parameters: match.parameters, data });
    if (!parsed.ok) throw invalid(parsed.problems);
    return match.operation.run(parsed.input, contextOf(verb, path, mount, options));
  };
}

/** Runs the existence check of a row. */
export async function existence(engine: Pick<Engine, 'rows'>, mount: Mount, pattern: string, path: string) {
  const exists = engine.rows.find((row) => row.pattern === pattern)?.exists;
  if (exists === undefined) throw new Error(`row ${pattern} does not know what exists`);
  return exists({}, contextOf('write', path, mount, {}));
}

function contextOf(verb: Verb, path: string, mount: Mount, options: Calling): RequestContext {
  const caller = 'caller' in options ? options.caller : root;
  return {
    requestId: 'test',
    caller,
    tokenSent: options.tokenSent ?? caller !== undefined,
    sudo: options.sudo ?? caller?.root === true,
    namespace: rootNamespace,
    connection: { remoteAddress: '', tls: false },
    mount,
    path,
    verb,
    vocabulary: 'canonical',
    headers: {},
    query: new URLSearchParams(),
    signal: new AbortController().signal,
    hold: () => {},
    warn: options.warn ?? (() => {}),
    async mustBeAllowed(wanted, fullPath) {
      if (!options.allowed?.has(`${wanted} ${fullPath}`)) throw new AppError('permission-denied', 'permission denied');
    },
    reaches: async (fullPath) => caller?.root === true || options.reached?.has(fullPath) === true,
  };
}

let associations = 0;

/** An association in sync with its secret, as the sync leaves it. */
export async function associate(store: Store, mount: Mount, secretName: string): Promise<string> {
  associations += 1;
  const destination = await store.db
    .insertInto('destinations')
    .values({
      type: 'fake',
      name: `d${associations}`,
      connection: Buffer.alloc(1),
      granularity: 'secret-path',
      template: null,
      custom_tags: '{}',
      network: JSON.stringify({
        disable_strict_networking: false,
        allowed_ipv4_addresses: [],
        allowed_ipv6_addresses: [],
        allowed_ports: [],
      }),
      adopt: false,
      updated_at: new Date(),
      purge_initiated_at: null,
      purge_error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const association = await store.db
    .insertInto('associations')
    .values({
      destination_id: destination.id,
      type: 'fake',
      mount_id: mount.id,
      mount_path: mount.path,
      mount_accessor: mount.accessor,
      secret_name: secretName,
      granularity: 'secret-path',
      template: '',
      adopt: false,
      desired: 'present',
      status: 'SYNCED',
      error: JSON.stringify(null),
      records: '[]',
      observed_generation: 1,
      next_attempt_at: null,
      updated_at: new Date(),
      dirty_since: null,
      claimed_by: null,
      claimed_until: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return association.id;
}

/** The dirty associations. */
export async function dirtyIds(store: Store): Promise<readonly string[]> {
  const query = store.db.selectFrom('associations').select('id');
  const rows = await query.whereRef('generation', '>', 'observed_generation').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Makes all versions older by this time. */
export async function letPass(store: Store, ms: number): Promise<void> {
  const earlier = sql`make_interval(secs => ${ms / 1_000}::float8)`;
  await sql`update kv_secrets set created_time = created_time - ${earlier}, updated_time = updated_time - ${earlier}`.execute(
    store.db,
  );
  await sql`update kv_versions set created_time = created_time - ${earlier}, deletion_time = deletion_time - ${earlier}`.execute(
    store.db,
  );
}

/** Marks all associations as synced. */
export async function settle(store: Store): Promise<void> {
  await store.db
    .updateTable('associations')
    .set(({ ref }) => ({ observed_generation: ref('generation') }))
    .execute();
}
