import { type QueryExecutorProvider, sql } from 'kysely';
import type { Page } from '#path/jsonapi/page.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsAuditEventsTable } from '#store/tables/organizations.ts';
import type { TrailEvent } from './event.ts';

type Db = Pick<Store, 'db'>;

/** An event as stored. */
export type EventRow = RowOf<typeof wsAuditEventsTable>;

/** Stores events in one statement, except those of an organization that is being deleted. */
export async function insertEvents({ db }: Db, events: readonly TrailEvent[]): Promise<void> {
  const column = (name: keyof TrailEvent) => sql`${events.map((event) => event[name])}::text[]`;
  await sql`
    insert into ws_audit_events (organization_id, actor_id, actor_name, request_id, resource_id, resource_type, action)
    select e.organization_id, e.actor_id, e.actor_name, e.request_id, e.resource_id, e.resource_type, e.action
      from unnest(${column('organizationId')}, ${column('actorId')}, ${column('actorName')}, ${column('requestId')},
                  ${column('resourceId')}, ${column('resourceType')}, ${column('action')})
        as e (organization_id, actor_id, actor_name, request_id, resource_id, resource_type, action)
      join ws_organizations o on o.id = e.organization_id
     where o.removed_at is null for key share of o`.execute(db);
}

export interface Asked {
  readonly organizationId: string;
  /** Earliest time of the events; undefined returns all stored events. */
  readonly since: Date | undefined;
  /** Older events are hidden even if the sweep has not deleted them yet. */
  readonly days: number;
}

/** A page of the events of an organization, newest first, and their total number. */
export async function eventsOf(
  { db }: Db,
  { organizationId, since, days }: Asked,
  { size, offset }: Page,
): Promise<{ readonly events: readonly EventRow[]; readonly totalCount: number }> {
  const condition = sql`organization_id = ${organizationId} and made_at > now() - make_interval(days => ${days})
    and (${since ?? null}::timestamptz is null or made_at >= ${since ?? null}::timestamptz)`;
  const [page, count] = await Promise.all([
    rowsOf(wsAuditEventsTable)`
      select id, organization_id, made_at, actor_id, actor_name, request_id, resource_id, resource_type, action
        from ws_audit_events where ${condition} order by made_at desc, id limit ${size} offset ${offset}`.execute(db),
    rowsOf({ count: int })`select count(*)::int as count from ws_audit_events where ${condition}`.execute(db),
  ]);
  return { events: page.rows, totalCount: count.rows[0]?.count ?? 0 };
}

/** Events of one organization deleted by one statement. */
const eventsPerStep = 10_000;

/** Deletes some events of an organization and returns how many; 0 when none is left. */
export async function dropEventsOf(db: QueryExecutorProvider, organizationId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ws_audit_events
     where id in (select id from ws_audit_events where organization_id = ${organizationId} limit ${eventsPerStep})`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** Statements in one round: more events than one statement deletes may arrive between two rounds. */
const stepsMax = 20;

/** Deletes events older than `days`, oldest first, at most `countMax` per statement. */
export async function dropOldEvents({ db }: Db, days: number, countMax: number): Promise<void> {
  for (let step = 0; step < stepsMax; step += 1) {
    const { numAffectedRows = 0n } = await sql`
      delete from ws_audit_events where id in (
        select id from ws_audit_events where made_at <= now() - make_interval(days => ${days})
         order by made_at limit ${countMax} for update skip locked)`.execute(db);
    if (Number(numAffectedRows) < countMax) return;
  }
}
