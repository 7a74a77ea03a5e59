import { type RawBuilder, sql } from 'kysely';
import { asksForPage, type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { isOf, standingsOf } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { organizationDocuments } from './document.ts';

/** Of a list that nobody asked to have in pages. */
const wholeMax = 1_000;

/** The organizations to which the caller belongs, by name. */
export async function listOrganizations({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = asksForPage(call.query) ? pageOf(call.query) : whole;
  const { rows } = await sql<{ id: string | null; total: number }>`
    with matching as (select o.id, o.name from ws_organizations o
                       where o.removed_at is null and ${isOf(call.caller)} and ${isSearched(call.query)})
    select p.id, t.total from (select count(*)::int as total from matching) t
      left join lateral (select id, name from matching order by name, id limit ${page.size} offset ${page.offset}) p on true
     order by p.name, p.id`.execute(store.db);
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  const standings = new Map(
    (await standingsOf(store, call.caller, ids)).map((standing) => [standing.organization.id, standing]),
  );
  const found = ids.flatMap((id) => standings.get(id) ?? []);
  const data = await organizationDocuments(store, found);
  return { data, page: told(page, rows[0]?.total ?? 0) };
}

const whole: Page = { number: 1, size: wholeMax, offset: 0 };

/** `q` looks at names and addresses, `q[name]` and `q[email]` at one of them. */
function isSearched(query: URLSearchParams): RawBuilder<unknown> {
  const [any, name, email] = ['q', 'q[name]', 'q[email]'].map((key) => likePattern(query.get(key)));
  return sql`(o.name ilike ${any} or o.email ilike ${any}) and o.name ilike ${name} and o.email ilike ${email}`;
}
