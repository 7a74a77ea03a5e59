import { sql, type Transaction } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { text } from '#path/jsonapi/fields.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';

const namePattern = /^[a-z0-9](?:[a-z0-9_:-]{0,253}[a-z0-9])?$/;
/** Attributes of a tag. */
export const tagFields = { name: text(255) };

/** Tags of one workspace. */
const tagsMax = 100;

/**
 * Adds flat tags to one or several workspaces, in this order, and creates those that the organization does not have. Tags that a workspace
 * already has keep their positions. The caller must have locked the workspaces.
 *
 * @throws ApiError 422 for an invalid name, and for too many tags of one workspace
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

/** Names as they are stored, without duplicates. */
function tagNames(names: readonly string[]): readonly string[] {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  if (wanted.length > tagsMax) throw tooMany();
  if (!wanted.every((name) => namePattern.test(name)))
    throw unprocessable(
      'Tag name must have 1 to 255 letters, digits, ":", "-" and "_", and must begin and end with a letter or a digit',
    );
  return wanted;
}

/**
 * Creates missing tags and locks all of them until the transaction ends, so that no concurrent request deletes one as unused before it has
 * this workspace.
 */
async function make(tx: Transaction<Database>, organizationId: string, names: readonly string[]): Promise<void> {
  // In a fixed order, so that concurrent requests for the same tags do not deadlock.
  const sorted = names.toSorted();
  const ids = sorted.map(() => newId('tag'));
  await sql`
    insert into ws_tags (id, organization_id, name)
    select n.id, ${organizationId}, n.name from unnest(${ids}::text[], ${sorted}::text[]) with ordinality n (id, name, place)
     order by n.place
        on conflict (organization_id, name) do update set name = excluded.name`.execute(tx);
}

const tooMany = () => unprocessable(`A workspace may have at most ${tagsMax} tags`);
