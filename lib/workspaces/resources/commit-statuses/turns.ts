import { sql } from 'kysely';
import { tenants } from '#store/postgres/statements/tenants.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { runStatuses } from '../run-lifecycle/status.ts';

/** A commit whose status is looked at. */
export type DueStatus = RowOf<typeof dueColumns>;

const dueColumns = {
  id: text,
  organization_id: text,
  organization: text,
  workspace: text,
  oauth_token_id: nullable(text),
  repository: text,
  commit_sha: text,
  run_id: nullable(text),
  run_status: nullable(oneOf(...runStatuses)),
  status_sent: nullable(text),
  status_failures: int,
};

/** Longer than a call takes. Afterwards another process may take over from one that died. */
const claimSeconds = 60;
/** How often the run of a commit is looked at, and the pause after a failure, doubled with each. */
const pauseSeconds = { run: 5, first: 30, most: 900 };
/** After as many failures in a row the commit gets no further status. */
const failuresMax = 8;
/** Statuses of one organization in one look. */
const ofOrganizationMax = 4;

/**
 * Claims commits whose status is due, with a share for each organization.
 * @param busy organizations that get none
 */
export async function claimStatuses(
  { db }: Pick<Store, 'db'>,
  countMax: number,
  busy: readonly string[],
): Promise<readonly DueStatus[]> {
  const { rows } = await rowsOf(dueColumns)`
    with recursive ${tenants('ws_ingresses', 'organization_id', sql`status_at is not null`)},
    due as (
      select d.id from tenants o cross join lateral (
        select n.id, n.status_at, row_number() over (order by n.status_at) as turn from (
          select id, status_at from ws_ingresses
           where organization_id = o.id and status_at <= now() order by status_at limit ${ofOrganizationMax}) n) d
       where o.id is not null and o.id <> all(${busy}::text[]) order by d.turn, d.status_at limit ${countMax}
    ), free as (
      select id from ws_ingresses where id in (select id from due) and status_at <= now() for no key update skip locked
    ), claimed as (
      update ws_ingresses i set status_at = now() + make_interval(secs => ${claimSeconds})
        from free where i.id = free.id returning i.*
    )
    select i.id, i.organization_id, o.name as organization, w.name as workspace, w.oauth_token_id,
           i.request->>'repository' as repository, coalesce(i.commit_sha, '') as commit_sha, i.run_id, r.status as run_status,
           i.status_sent, i.status_failures
      from claimed i join ws_workspaces w on w.id = i.workspace_id join ws_organizations o on o.id = i.organization_id
      left join ws_runs r on r.id = i.run_id`.execute(db);
  return rows;
}

/** The host has the state. It is looked at again while the run has not ended. */
export async function endStatus({ db }: Pick<Store, 'db'>, { id }: DueStatus, state: string): Promise<void> {
  await sql`
    update ws_ingresses set status_sent = ${state}, status_failures = 0,
           status_at = case when ${state === 'pending'} then now() + make_interval(secs => ${pauseSeconds.run}) end
     where id = ${id}`.execute(db);
}

/** The host did not take the state. Returns whether it is asked again. */
export async function putOffStatus(
  { db }: Pick<Store, 'db'>,
  { id, status_failures: failures }: DueStatus,
): Promise<boolean> {
  const isLast = failures + 1 >= failuresMax;
  const pause = Math.min(pauseSeconds.most, pauseSeconds.first * 2 ** Math.min(failures, failuresMax));
  await sql`
    update ws_ingresses set status_failures = status_failures + 1,
           status_at = case when ${!isLast} then now() + make_interval(secs => ${pause}) end
     where id = ${id}`.execute(db);
  return !isLast;
}

/** No host takes a status of it. */
export async function dropStatus({ db }: Pick<Store, 'db'>, { id }: DueStatus): Promise<void> {
  await sql`update ws_ingresses set status_at = null where id = ${id}`.execute(db);
}
