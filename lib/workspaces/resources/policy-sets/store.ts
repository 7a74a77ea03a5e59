import { sql } from 'kysely';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { likePattern } from '../../frame/like.ts';
import { policySetsMax } from '../../frame/policies.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { SentSet } from './fields.ts';
import { replaceLinks, type SentLinks } from './links.ts';
import { type SetRow, setColumns, setOf, shownSet } from './view.ts';

type Db = Pick<Store, 'db'>;

const taken = { ws_policy_sets_organization_id_name_key: 'name' };

export async function listSets(
  { db }: Db,
  { organization }: Standing,
  { page, search, kind }: { readonly page: Page; readonly search: string | null; readonly kind: string | null },
): Promise<DocumentReply> {
  const condition = sql`s.organization_id = ${organization.id} and s.name ilike ${likePattern(search)}
    and ${kind === null || kind === 'opa'}`;
  const { rows } = await rowsOf(setColumns)`
    select ${shownSet} from ws_policy_sets s join ws_organizations o on o.id = s.organization_id
     where ${condition} order by s.name collate "C" limit ${page.size} offset ${page.offset}`.execute(db);
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_policy_sets s where ${condition}`.execute(db);
  return { data: rows.map(setOf), page: pageInfo(page, counted[0]?.total ?? 0) };
}

/** @throws ApiError 404 */
export async function readSet({ db }: Db, id: string): Promise<SetRow> {
  const { rows } = await rowsOf(setColumns)`
    select ${shownSet} from ws_policy_sets s join ws_organizations o on o.id = s.organization_id where s.id = ${id}`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Creates a policy set with its links, and returns its id. @throws ApiError 422 */
export function createSet(
  store: Store,
  { organization }: Standing,
  sent: SentSet,
  related: SentLinks,
): Promise<string> {
  const { name } = sent;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const id = newId('polset');
  return withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { numAffectedRows } = await sql`
        insert into ws_policy_sets (id, organization_id, name, description, global, overridable)
        select ${id}, ${organization.id}, ${name}, ${sent.description ?? null}, ${sent.global ?? false}, ${sent.overridable ?? false}
         where (select count(*) from ws_policy_sets where organization_id = ${organization.id}) < ${policySetsMax}`.execute(
        tx,
      );
      if (numAffectedRows === 0n) throw unprocessable(`An organization may have at most ${policySetsMax} policy sets.`);
      await replaceLinks(tx, id, related);
      return id;
    }),
  );
}

/** A set that becomes global loses its workspaces and projects, and keeps its exclusions. @throws ApiError 404, 422 */
export function updateSet(store: Store, before: SetRow, sent: SentSet, related: SentLinks): Promise<void> {
  const { id } = before;
  const description = sent.description === undefined ? before.description : sent.description;
  const isGlobal = sent.global ?? before.global;
  return withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { numAffectedRows } = await sql`
        update ws_policy_sets set name = ${sent.name ?? before.name}, description = ${description}, global = ${isGlobal},
               overridable = ${sent.overridable ?? before.overridable}, updated_at = now() where id = ${id}`.execute(
        tx,
      );
      if (numAffectedRows === 0n) throw notFound();
      await replaceLinks(tx, id, isGlobal ? { workspaces: [], projects: [], ...related } : related);
    }),
  );
}
