import { sql, type Transaction } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { bool, int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** What a policy set is linked to, by the names of the relationships. */
export const links = {
  policies: { table: 'ws_policy_set_policies', column: 'policy_id', of: 'ws_policies', type: 'policies' },
  workspaces: { table: 'ws_policy_set_workspaces', column: 'workspace_id', of: 'ws_workspaces', type: 'workspaces' },
  projects: { table: 'ws_policy_set_projects', column: 'project_id', of: 'ws_projects', type: 'projects' },
  'workspace-exclusions': {
    table: 'ws_policy_set_exclusions',
    column: 'workspace_id',
    of: 'ws_workspaces',
    type: 'workspaces',
  },
} as const;

export type Link = keyof typeof links;
export const linkNames = Object.keys(links) as readonly Link[];

/** The relationships that a request names, each with all of its ids. */
export type SentLinks = Readonly<Partial<Record<Link, readonly string[]>>>;

type Db = Pick<Store, 'db'>['db'] | Transaction<Database>;

/** Links of one kind of one policy set. */
const linksMax = 1_000;

/** Adds links of one kind; present ones are ignored. @throws ApiError 422 when one is not in the organization, or the set is global */
export async function addLinks(db: Db, id: string, link: Link, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { table, column, of, type } = links[link];
  const narrows = link === 'workspaces' || link === 'projects';
  const { rows } = await rowsOf({ found: int, global: bool, total: int })`
    with found as (
      select t.id from ${sql.table(of)} t join ws_policy_sets s on s.organization_id = t.organization_id
       where s.id = ${id} and t.id = any(${ids}::text[]) and not (s.global and ${narrows})
    ), added as (
      insert into ${sql.table(table)} (policy_set_id, ${sql.ref(column)})
      select ${id}, found.id from found where (select count(*) from found) = ${ids.length} on conflict do nothing returning 1
    )
    select (select count(*)::int from found) as found,
           coalesce((select s.global and ${narrows} from ws_policy_sets s where s.id = ${id}), false) as global,
           (select count(*)::int from ${sql.table(table)} where policy_set_id = ${id}) + (select count(*)::int from added) as total`.execute(
    db,
  );
  const [row] = rows;
  if (row?.global === true) throw unprocessable(`A global policy set applies to all workspaces: it has no ${link}.`);
  if (row?.found !== ids.length)
    throw unprocessable(`One of the ${type} was not found, or you are not authorized to use it.`);
  if (row.total > linksMax) throw unprocessable(`A policy set may have at most ${linksMax} ${link}.`);
}

/** Removes links of one kind; others are ignored. */
export async function removeLinks(db: Db, id: string, link: Link, ids: readonly string[]): Promise<void> {
  const { table, column } = links[link];
  await sql`delete from ${sql.table(table)} where policy_set_id = ${id} and ${sql.ref(column)} = any(${ids}::text[])`.execute(
    db,
  );
}

/** Replaces the links of the relationships that were sent. @throws ApiError 422 */
export async function replaceLinks(tx: Transaction<Database>, id: string, sent: SentLinks): Promise<void> {
  for (const link of linkNames) {
    const ids = sent[link];
    if (ids === undefined) continue;
    await sql`delete from ${sql.table(links[link].table)} where policy_set_id = ${id}`.execute(tx);
    await addLinks(tx, id, link, ids);
  }
}
