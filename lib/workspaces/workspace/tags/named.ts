import { sql, type Transaction } from 'kysely';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { Database } from '../../../store/tables.ts';

/** Tags as a document names them: some by their ids, others by their names. */
export interface NamedTags {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** @throws ApiError 422 for what has neither an id nor a name */
export function tagsNamedIn(sent: readonly JsonObject[]): NamedTags {
  const [ids, names]: [string[], string[]] = [[], []];
  for (const { id, attributes = null, type = 'tags' } of sent) {
    if (type !== 'tags') throw unprocessable('type has to be "tags"');
    const name = isJsonObject(attributes) ? attributes['name'] : undefined;
    if (typeof id === 'string' && id !== '') ids.push(id);
    else if (typeof name === 'string' && name !== '') names.push(name);
    else throw unprocessable('a tag has to have an id or a name');
  }
  return { ids, names };
}

/**
 * Names of tags that come with a workspace: those that were named, then those of the ids.
 *
 * @throws ApiError 422 for what has neither an id nor a name, and for an id that no tag of the organization has
 */
export async function tagNamesIn(
  tx: Transaction<Database>,
  organizationId: string,
  sent: readonly JsonObject[],
): Promise<readonly string[]> {
  const { ids, names } = tagsNamedIn(sent);
  if (ids.length === 0) return names;
  return [...names, ...(await namesOf(tx, organizationId, ids, unprocessable('Tag not found')))];
}

/** Names of the organization's tags that have these ids. @throws ApiError `refusal`, or 404, for an id that none has */
export async function namesOf(
  tx: Transaction<Database>,
  organizationId: string,
  ids: readonly string[],
  refusal = notFound(),
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from ws_tags where organization_id = ${organizationId} and id = any(${ids}::text[])`.execute(tx);
  const byId = new Map(rows.map(({ id, name }) => [id, name]));
  return ids.map((id) => {
    const name = byId.get(id);
    if (name === undefined) throw refusal;
    return name;
  });
}

/** Ids of the organization's tags that have these names; unknown names have none. */
export async function idsOf(
  tx: Transaction<Database>,
  organizationId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ws_tags where organization_id = ${organizationId}
       and name = any(${names.map((name) => name.toLowerCase())}::text[])`.execute(tx);
  return rows.map(({ id }) => id);
}
