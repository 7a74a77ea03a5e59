import { sql, type Transaction } from 'kysely';
import { fairTurns } from '#store/postgres/statements/tenants.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, jsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { commitFacts, storedRequest } from './announcement.ts';

/** A commit whose turn it is. */
export type IngressRow = RowOf<typeof ingressColumns>;

const ingressColumns = {
  id: text,
  configuration_version_id: text,
  workspace_id: text,
  organization_id: text,
  request: jsonOf(storedRequest),
  attributes: jsonOf(commitFacts),
  attempts: int,
};

/** Longest time of one turn. */
export const turnMsMax = 240_000;
/** Afterwards another process may take over from one that died. */
const claimSeconds = 300;
/** Commits of one organization that are fetched at the same time, over all processes. */
const ofOrganizationMax = 2;
export const attemptsMax = 5;
const backOffSeconds = { first: 10, most: 300 };

const turns = {
  table: 'ws_ingresses',
  tenant: 'organization_id',
  due: 'next_at',
  may: sql`not exists (
    select 1 from ws_ingresses e where e.workspace_id = r.workspace_id and e.next_at is not null and e.position < r.position)`,
  counts: sql`r.next_at is not null`,
  ofTenantMax: ofOrganizationMax,
};

/**
 * Claims commits that are due. Every organization gets its first turn before any gets a second one. The commits of a workspace take turns in
 * their order, so that an older one never replaces a newer one.
 */
export async function claimIngresses({ db }: Pick<Store, 'db'>, countMax: number): Promise<readonly IngressRow[]> {
  const { rows } = await rowsOf(ingressColumns)`
    with recursive ${fairTurns({ ...turns, countMax })}
    update ws_ingresses i
       set claimed_until = now() + make_interval(secs => ${claimSeconds}), attempts = attempts + 1,
           next_at = now() + make_interval(secs => ${claimSeconds})
      from free where i.id = free.id
    returning i.id, i.configuration_version_id, i.workspace_id, i.organization_id, i.request, i.attributes, i.attempts`.execute(
    db,
  );
  return rows;
}

/** Another attempt follows after a pause, which doubles. */
export async function putOff(tx: Transaction<Database>, { id, attempts }: IngressRow): Promise<void> {
  const pause = Math.min(backOffSeconds.most, backOffSeconds.first * 2 ** Math.max(0, attempts - 1));
  await sql`
    update ws_ingresses set claimed_until = null, next_at = now() + make_interval(secs => ${pause}) where id = ${id}`.execute(
    tx,
  );
}

/** The process ends: another one takes the turn at once. */
export async function putBack({ db }: Pick<Store, 'db'>, { id }: IngressRow): Promise<void> {
  await sql`
    update ws_ingresses set claimed_until = null, next_at = now(), attempts = attempts - 1 where id = ${id}`.execute(
    db,
  );
}
