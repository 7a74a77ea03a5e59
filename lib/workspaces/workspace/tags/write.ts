import { sql, type Transaction } from 'kysely';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { Database } from '../../../store/tables.ts';
import { newId } from '../../frame/ids.ts';

const namePattern = /^[a-z0-9](?:[a-z0-9_:-]{0,253}[a-z0-9])?$/;
/** Of one workspace. */
const tagsMax = 100;

/**
 * Binds flat tags to a workspace or to several, in this order, and makes those that the organization does not have. Bound ones stay
 * where they are. The workspaces have to be locked.
 *
 * @throws ApiError 422 for what is no name of a tag, and for more tags than a workspace may have
 */
export async function addTags(
  tx: Transaction<Database>,
  organizationId: string,
  workspaces: string | readonly string[],
  names: readonly string[],
): Promise<void> {
  const wanted = tagNames(names);
  if (wanted.length === 0) return;
  await make(tx, organizationId, wanted);
  const ids = typeof workspaces === 'string' ? [workspaces] : workspaces;
  await sql`
    insert into ws_workspace_tags (workspace_id, tag_id)
    select w.id, t.id from unnest(${ids}::text[]) w (id) cross join unnest(${wanted}::text[]) with ordinality n (name, place)
      join ws_tags t on t.organization_id = ${organizationId} and t.name = n.name
     order by w.id, n.place on conflict do nothing`.execute(tx);
  const { rows } = await sql`
    select workspace_id from ws_workspace_tags where workspace_id = any(${ids}::text[])
     group by workspace_id having count(*) > ${tagsMax}`.execute(tx);
  if (rows.length > 0) throw tooMany();
}

/** Names as they are stored, each once. */
function tagNames(names: readonly string[]): readonly string[] {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  if (wanted.length > tagsMax) throw tooMany();
  if (!wanted.every((name) => namePattern.test(name)))
    throw unprocessable(
      'Tag name may have 1 to 255 letters, digits, ":", "-" and "_", the first and the last of them a letter or a digit',
    );
  return wanted;
}

/**
 * Makes the tags that are not there and locks all of them until the transaction ends, so that none vanishes for want of a workspace
 * before it has this one.
 */
async function make(tx: Transaction<Database>, organizationId: string, names: readonly string[]): Promise<void> {
  // In one order, so that requests for the same tags do not wait for each other in a circle.
  const sorted = names.toSorted();
  const ids = sorted.map(() => newId('tag'));
  await sql`
    insert into ws_tags (id, organization_id, name)
    select n.id, ${organizationId}, n.name from unnest(${ids}::text[], ${sorted}::text[]) with ordinality n (id, name, place)
     order by n.place
        on conflict (organization_id, name) do update set name = excluded.name`.execute(tx);
}

const tooMany = () => unprocessable(`A workspace may have at most ${tagsMax} tags`);
