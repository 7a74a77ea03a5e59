import { sql } from 'kysely';
import { randomBase62 } from '#core/ids.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable, oneOf, text, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { driftActions } from '../model/drift.ts';
import { isPaused } from '../model/pause.ts';

type Reads = Pick<Store, 'db'>;

/** A destination whose look this process continues. */
export interface Turn extends RowOf<typeof turnColumns> {
  readonly token: string;
}

const turnColumns = {
  destination_id: bigintText,
  name: text,
  namespace_id: text,
  revision: int,
  on_drift: oneOf(...driftActions),
  custom_tags: textMap,
  /** Pages of this look so far, and where the next one begins. */
  pages: int,
  list_after: nullable(text),
  /** The last object that was compared after the pages; null while pages are left. */
  rest_after: nullable(text),
  /** Objects of this look that the credentials do not let us look at. */
  unseen: int,
};

/** How long a process holds a destination without renewing it, in milliseconds: longer than any call. */
export const leaseMs = 120_000;
/** Destinations that one statement notes as due. */
const notedMax = 1_000;

/** Gives new destinations a time for their first look, spread over the interval. */
export async function noteDestinations({ db }: Reads, type: string, everyMs: number): Promise<void> {
  await sql`
    insert into destination_drift (destination_id, due_at)
    select d.id, now() + random() * ${everyMs}::float8 * interval '1 millisecond'
      from destinations d
     where d.type = ${type} and d.on_drift <> 'off'
       and not exists (select 1 from destination_drift s where s.destination_id = d.id)
     order by d.id limit ${notedMax}::int
    on conflict do nothing`.execute(db);
}

/**
 * Takes the destination of a type whose turn it is, for this process alone. Namespaces take turns: the one whose last turn is longest ago
 * comes first, however many destinations another has. Undefined when none is due.
 */
export async function takeTurn({ db }: Reads, type: string): Promise<Turn | undefined> {
  const token = randomBase62(22);
  const { rows } = await rowsOf(turnColumns)`
    with own as materialized (
      select d.id, s.due_at, s.leased_until, d.purge_initiated_at is null and not ${isPaused('d')} as running,
             max(s.turned_at) over (partition by d.namespace_id) as turned_at
        from destinations d join destination_drift s on s.destination_id = d.id
       where d.type = ${type} and d.on_drift <> 'off'
    ),
    next as (
      select id from own
       where running and due_at <= now() and coalesce(leased_until <= now(), true)
       order by turned_at nulls first, due_at, id limit 1
    )
    update destination_drift s
       set leased_by = ${token}, leased_until = now() + ${leaseMs}::int * interval '1 millisecond', turned_at = now(),
           began_at = coalesce(s.began_at, now())
      from next, destinations d, sync_config c
     where s.destination_id = next.id and d.id = next.id and c.id = 1 and not ${isPaused('c')}
       and s.due_at <= now() and coalesce(s.leased_until <= now(), true)
    returning s.destination_id::text as destination_id, d.name, d.namespace_id, d.revision, d.on_drift, d.custom_tags,
              s.pages, s.list_after, s.rest_after, s.unseen`.execute(db);
  return rows[0] && { ...rows[0], token };
}

/** How far a look has come. */
export type Progress = Pick<Turn, 'pages' | 'list_after' | 'rest_after' | 'unseen'>;

/**
 * Notes how far a look has come and renews the lease. False when it has to stop: another process has the destination, it was paused, changed
 * or deleted, or the sync is disabled.
 */
export async function keepTurn({ db }: Reads, turn: Turn, progress: Progress): Promise<boolean> {
  const { rows } = await rowsOf({ destination_id: bigintText })`
    update destination_drift s
       set leased_until = now() + ${leaseMs}::int * interval '1 millisecond', ${setProgress(progress)}
      from destinations d, sync_config c
     where s.destination_id = ${turn.destination_id}::bigint and s.leased_by = ${turn.token} and d.id = s.destination_id
       and d.on_drift <> 'off' and d.purge_initiated_at is null and not ${isPaused('d')} and d.revision = ${turn.revision}::int
       and c.id = 1 and not ${isPaused('c')}
    returning s.destination_id::text as destination_id`.execute(db);
  return rows.length > 0;
}

const setProgress = ({ pages, list_after, rest_after, unseen }: Progress) => sql`
  pages = ${pages}::int, list_after = ${list_after}::text, rest_after = ${rest_after}::text, unseen = ${unseen}::int`;

/** Gives the destination back before its look is over. @param error why it ends; null: others have their turn first */
export async function leaveTurn(
  { db }: Reads,
  turn: Turn,
  {
    afterMs,
    error,
  }: { readonly afterMs: number; readonly error: { readonly kind: string; readonly message: string } | null },
): Promise<void> {
  await sql`
    update destination_drift
       set leased_by = null, leased_until = null, due_at = now() + ${afterMs}::float8 * interval '1 millisecond',
           error = coalesce(${error === null ? null : JSON.stringify(error)}::jsonb, error)
     where destination_id = ${turn.destination_id}::bigint and leased_by = ${turn.token}`.execute(db);
}

/** Ends a complete look. The next one is due after the interval, give or take a tenth. */
export async function endTurn({ db }: Reads, turn: Turn, unseen: number, everyMs: number): Promise<void> {
  await sql`
    update destination_drift
       set leased_by = null, leased_until = null, began_at = null, pages = 0, list_after = null, rest_after = null, unseen = 0,
           checked_at = now(), checked_unseen = ${unseen}::int, error = null,
           due_at = now() + (0.9 + 0.2 * random()) * ${everyMs}::float8 * interval '1 millisecond'
     where destination_id = ${turn.destination_id}::bigint and leased_by = ${turn.token}`.execute(db);
}
