import { sql } from 'kysely';
import type { Store } from '#store/store.ts';

/** An association to insert. */
export interface Given {
  readonly destination: string;
  readonly secret: string;
  readonly status?: string;
  readonly mount?: string;
  readonly kind?: string;
  readonly attempts?: number;
  readonly desired?: 'present' | 'absent';
  readonly unconfirmed?: boolean;
  readonly drift?: string | null;
  readonly rule?: number;
}

/** Inserts destinations of `cloud-a-sm` in a namespace. */
export async function insertDestinations(store: Store, names: readonly string[], namespaceId = 'root'): Promise<void> {
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    select 'cloud-a-sm', name, 'x', 'secret-path', '{}', '{}', false, now(), ${namespaceId}
      from unnest(${names}::text[]) as name`.execute(store.db);
}

/** A mount that keeps its id in all rows. */
const mountIdOf = (path: string): string =>
  `00000000-0000-4000-8000-${Buffer.from(path.padEnd(6, ' ').slice(0, 6)).toString('hex')}`;

/** Inserts associations of the destinations with these names, in every namespace that has one. */
export async function insertRecords(store: Store, given: readonly Given[]): Promise<void> {
  const rows = given.map(({ mount = 'kv/', kind, ...one }) => ({
    mount_path: mount,
    mount_id: mountIdOf(mount),
    error: kind === undefined ? null : { kind, message: `failed: ${kind}` },
    ...one,
  }));
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, generation, observed_generation, error, attempts, records, updated_at, unconfirmed_at, drift, drift_at, rule_id)
    select d.id, d.type, r.mount_id, r.mount_path, 'kv_1', r.secret, 'secret-path', 't', false, coalesce(r.desired, 'present'),
           coalesce(r.status, 'SYNCED'), 1, case when r.status = 'PENDING' then 0 else 1 end, r.error, coalesce(r.attempts, 0),
           '[]', now(), case when r.unconfirmed then now() end, r.drift, case when r.drift is not null then now() end, r.rule
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (destination text, secret text, status text, mount_path text, mount_id uuid, error jsonb, attempts int, desired text,
              unconfirmed boolean, drift text, rule bigint)
      join destinations d on d.name = r.destination`.execute(store.db);
}
