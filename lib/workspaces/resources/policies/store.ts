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
import { policiesMax } from '../../frame/policies.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { levelIn, type SentPolicy } from './fields.ts';
import { type PolicyRow, policyColumns, policyOf, shownPolicy } from './view.ts';

type Db = Pick<Store, 'db'>;

const taken = { ws_policies_organization_id_name_key: 'name' };

export async function listPolicies(
  { db }: Db,
  { organization }: Standing,
  { page, search, kind }: { readonly page: Page; readonly search: string | null; readonly kind: string | null },
): Promise<DocumentReply> {
  const condition = sql`p.organization_id = ${organization.id} and p.name ilike ${likePattern(search)}
    and ${kind === null || kind === 'opa'}`;
  const { rows } = await rowsOf(policyColumns)`
    select ${shownPolicy} from ws_policies p join ws_organizations o on o.id = p.organization_id
     where ${condition} order by p.name collate "C" limit ${page.size} offset ${page.offset}`.execute(db);
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_policies p where ${condition}`.execute(db);
  return { data: rows.map(policyOf), page: pageInfo(page, counted[0]?.total ?? 0) };
}

/** @throws ApiError 404 */
export async function readPolicy({ db }: Db, id: string): Promise<PolicyRow> {
  const { rows } = await rowsOf(policyColumns)`
    select ${shownPolicy} from ws_policies p join ws_organizations o on o.id = p.organization_id where p.id = ${id}`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Creates a policy without a text in sets of the organization, and returns its id. @throws ApiError 422 */
export function createPolicy(
  store: Store,
  { organization }: Standing,
  sent: SentPolicy,
  setIds: readonly string[],
): Promise<string> {
  const { name, query } = sent;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  if (query === undefined) throw invalidAttribute('query', "Query can't be blank");
  const id = newId('pol');
  return withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const made = await sql`
        insert into ws_policies (id, organization_id, name, description, query, enforcement_level)
        select ${id}, ${organization.id}, ${name}, ${sent.description ?? null}, ${query}, ${levelIn(sent) ?? 'advisory'}
         where (select count(*) from ws_policies where organization_id = ${organization.id}) < ${policiesMax}`.execute(
        tx,
      );
      if (made.numAffectedRows === 0n) throw unprocessable(`An organization may have at most ${policiesMax} policies.`);
      const linked = await sql`
        insert into ws_policy_set_policies (policy_set_id, policy_id)
        select s.id, ${id} from ws_policy_sets s
         where s.organization_id = ${organization.id} and s.id = any(${setIds}::text[])`.execute(tx);
      if (linked.numAffectedRows !== BigInt(setIds.length))
        throw unprocessable('Policy set not found, or you are not authorized to use it.');
      return id;
    }),
  );
}

/** The name stays: clients know the policy by it. @throws ApiError 404, 422 */
export async function updatePolicy({ db }: Db, before: PolicyRow, sent: SentPolicy): Promise<void> {
  if (sent.name !== undefined && sent.name !== before.name)
    throw invalidAttribute('name', 'Name cannot be changed: create another policy');
  const description = sent.description === undefined ? before.description : sent.description;
  const { numAffectedRows } = await sql`
    update ws_policies set description = ${description}, query = ${sent.query ?? before.query},
           enforcement_level = ${levelIn(sent) ?? before.enforcement_level}, updated_at = now()
     where id = ${before.id}`.execute(db);
  if (numAffectedRows === 0n) throw notFound();
}
