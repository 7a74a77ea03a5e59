import { sql, type Transaction } from 'kysely';
import { unprocessable } from '../../path/jsonapi/error.ts';
import type { Database } from '../../store/tables.ts';
import { newId } from '../ids.ts';

const namePattern = /^[a-z0-9](?:[a-z0-9_:-]{0,253}[a-z0-9])?$/;
const tagsMax = 100;

/**
 * Binds flat tags to a workspace, in this order, and makes those that the organization does not have. Bound ones stay where they are.
 *
 * @throws ApiError 422 for what is no name of a tag
 */
export async function addTags(
  tx: Transaction<Database>,
  organizationId: string,
  workspaceId: string,
  names: readonly string[],
): Promise<void> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  if (wanted.length === 0) return;
  if (wanted.length > tagsMax) throw unprocessable(`A workspace may have at most ${tagsMax} tags`);
  const wrong = wanted.find((name) => !namePattern.test(name));
  if (wrong !== undefined) throw unprocessable('Tag name may have 1 to 255 letters, digits, ":", "-" and "_"');
  // In one order, so that requests which make the same tags do not wait for each other in a circle.
  const sorted = wanted.toSorted();
  await sql`
    insert into ws_tags (id, organization_id, name)
    select * from unnest(${sorted.map(() => newId('tag'))}::text[], ${sorted.map(() => organizationId)}::text[], ${sorted}::text[])
        on conflict do nothing`.execute(tx);
  await sql`
    insert into ws_workspace_tags (workspace_id, tag_id)
    select ${workspaceId}, t.id from unnest(${wanted}::text[]) with ordinality n (name, place)
      join ws_tags t on t.organization_id = ${organizationId} and t.name = n.name
     order by n.place on conflict do nothing`.execute(tx);
}
