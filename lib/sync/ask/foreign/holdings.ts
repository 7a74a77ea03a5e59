import { sql } from 'kysely';
import { bigintText, bool, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Foreign } from './found.ts';

/** The record of an object: the association that wrote it, or was about to. */
export interface Holding {
  readonly association: NonNullable<Foreign['in_place_of']>;
  readonly mark: string;
  readonly written: boolean;
  /** We removed it, and a late write may bring it back. */
  readonly removed: boolean;
  readonly remoteVersion: string | null;
}

type Reads = Pick<Store, 'db'>;

/** The records of a destination for these names, by name key. */
export async function holdingsOf(
  { db }: Reads,
  destinationId: string,
  nameKeys: readonly string[],
): Promise<ReadonlyMap<string, Holding>> {
  const columns = { name_key: text, mark: text, written: bool, removed: bool, remote_version: nullable(text) };
  const { rows } = await rowsOf({ ...columns, id: bigintText, mount_path: text, secret_name: text })`
    select o.name_key, o.mark, o.written_at is not null as written, o.removed_at is not null as removed, o.remote_version,
           a.id::text as id, a.mount_path, a.secret_name
      from sync_objects o join associations a on a.id = o.association_id
     where o.destination_id = ${destinationId}::bigint and o.name_key = any(${nameKeys}::text[])`.execute(db);
  return new Map(
    rows.map(({ name_key, mark, written, removed, remote_version: remoteVersion, id, mount_path, secret_name }) => {
      const association = { id, mount: mount_path.replace(/\/$/, ''), secret_name };
      return [name_key, { association, mark, written, removed, remoteVersion }];
    }),
  );
}

/** Other destinations of the type that one look considers: several may share an account. */
const othersMax = 1_000;

/** The marked objects of these that other destinations of the type hold, in any namespace, as `<name key> <mark>`. */
export async function heldElsewhere(
  { db }: Reads,
  type: string,
  destinationId: string,
  marked: readonly { readonly nameKey: string; readonly mark: string }[],
): Promise<ReadonlySet<string>> {
  if (marked.length === 0) return new Set();
  const { rows } = await rowsOf({ name_key: text, mark: text })`
    select o.name_key, o.mark
      from (select id from destinations
             where type = ${sql.lit(type)} and id <> ${destinationId}::bigint order by id limit ${othersMax}::int) d
      join unnest(${marked.map(({ nameKey }) => nameKey)}::text[], ${marked.map(({ mark }) => mark)}::text[])
        as m (name_key, mark) on true
      join sync_objects o on o.destination_id = d.id and o.name_key = m.name_key collate "C" and o.mark = m.mark`.execute(
    db,
  );
  return new Set(rows.map(({ name_key, mark }) => heldKey(name_key, mark)));
}

export const heldKey = (nameKey: string, mark: string): string => `${nameKey} ${mark}`;
