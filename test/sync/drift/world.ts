import { sql } from 'kysely';
import { silentLog } from '#core/log/log.ts';
import { definition as cloudASm } from '#destinations/cloud-a-sm/index.ts';
import type { DestinationDefinition, Driver, Inspection } from '#destinations/contract.ts';
import type { Gate } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { DriftParts } from '#sync/drift/drift.ts';

const mark = 'a'.repeat(32);
const tags = { keyferry: 'managed', 'keyferry-mark': mark };

/** A destination whose objects were synced an hour ago. Its look is due. Returns its id. */
export async function insertSynced(store: Store, name: string, count: number, namespaceId = 'root'): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    values ('cloud-a-sm', ${name}, 'x', 'secret-path', '{}', '{}', false, now(), ${namespaceId})
    returning id::text as id`.execute(store.db);
  const id = rows[0]?.id ?? '';
  await sql`
    with a as (
      insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                                desired, status, generation, observed_generation, attempts, records, updated_at)
      select ${id}::bigint, 'cloud-a-sm', '00000000-0000-4000-8000-000000000001', 'kv/', 'kv_1', 's' || n, 'secret-path', 't', false,
             'present', 'SYNCED', 1, 1, 0, '[]', now() from generate_series(1, ${count}::int) n
      returning id, secret_name
    )
    insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at, written_at,
                              remote_version, fingerprint, tag_keys)
    select id, ${id}::bigint, '', ${name} || '/' || secret_name, ${name} || '/' || secret_name, ${mark}, now(),
           now() - interval '1 hour', 'v1', 'x', '{}' from a`.execute(store.db);
  await sql`insert into destination_drift (destination_id, due_at) values (${id}::bigint, now())`.execute(store.db);
  return id;
}

const pageSize = 100;

/** A destination in memory, by object name, and the calls that it got. */
export function startPlace(names: readonly string[]) {
  const objects = new Map<string, Inspection>(names.map((name) => [name, { remoteVersion: 'v1', mark, tags }]));
  const calls = { list: 0, inspect: 0, atOnceMax: 0 };
  let atOnce = 0;
  const counted = async <T>(verb: 'list' | 'inspect', answer: () => T): Promise<T> => {
    calls[verb] += 1;
    atOnce += 1;
    calls.atOnceMax = Math.max(calls.atOnceMax, atOnce);
    await new Promise((next) => setImmediate(next));
    atOnce -= 1;
    return answer();
  };
  const driver: Driver = {
    put: () => Promise.reject(new Error('a look writes nothing')),
    remove: () => Promise.reject(new Error('a look removes nothing')),
    inspect: (name) => counted('inspect', () => objects.get(name)),
    list: ({ prefix, after }) =>
      counted('list', () => {
        const all = [...objects].filter(([name]) => name.startsWith(prefix));
        const from = Number(after ?? 0);
        const page = all.slice(from, from + pageSize);
        return {
          objects: page.map(([name, seen]) => ({ name, changedAt: null, ...seen })),
          after: from + pageSize < all.length ? String(from + pageSize) : null,
        };
      }),
    check: async () => [],
    close: async () => {},
  };
  return { objects, calls, driver };
}

export const openGate: Gate = {
  enter: async () => ({ admitted: true, callsAtOnce: 1, leave: async () => {} }),
};

/** The parts of looks that find this driver, whatever the destination. */
export function partsWith(store: Store, driver: Driver, changes: Partial<DriftParts> = {}): DriftParts {
  const definition: DestinationDefinition = cloudASm;
  return {
    definition,
    store,
    log: silentLog,
    gate: openGate,
    accounts: async () => 'account',
    openDriver: async () => driver,
    changed: async () => [],
    looked() {},
    everyMs: 3_600_000,
    ...changes,
  };
}

/** What the looks found, by secret. */
export async function driftOf(store: Store, destinationId: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ secret_name: string; drift: string }>`
    select secret_name, drift from associations where destination_id = ${destinationId}::bigint and drift is not null
     order by secret_name`.execute(store.db);
  return Object.fromEntries(rows.map(({ secret_name, drift }) => [secret_name, drift]));
}
