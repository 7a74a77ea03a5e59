import type { Transaction } from 'kysely';
import { isJsonObject, type JsonObject } from '#core/json/json.ts';
import { notFound, unprocessable } from '#path/jsonapi/error.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';

/** The tags in a document, some by id and others by name. */
export interface NamedTags {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** @throws ApiError 422 for an entry without an id and a name */
export function tagsNamedIn(sent: readonly JsonObject[]): NamedTags {
  const [ids, names]: [string[], string[]] = [[], []];
  for (const { id, attributes = null, type = 'tags' } of sent) {
    if (type !== 'tags') throw unprocessable('type must be "tags"');
    const name = isJsonObject(attributes) ? attributes['name'] : undefined;
    if (typeof id === 'string' && id !== '') ids.push(id);
    else if (typeof name === 'string' && name !== '') names.push(name);
    else throw unprocessable('a tag must have an id or a name');
  }
  return { ids, names };
}

/**
 * The names of the tags in the document of a workspace: first those given by name, then those given by id.
 *
 * @throws ApiError 422 for an entry without an id and a name, and for the id of a tag that the organization does not have
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

/** The names of the organization's tags with these ids. @throws ApiError `refusal`, 404 by default, for an unknown id */
export async function namesOf(
  tx: Transaction<Database>,
  organizationId: string,
  ids: readonly string[],
  refusal = notFound(),
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: text, name: text })`
    select id, name from ws_tags where organization_id = ${organizationId} and id = any(${ids}::text[])`.execute(tx);
  const byId = new Map(rows.map(({ id, name }) => [id, name]));
  return ids.map((id) => {
    const name = byId.get(id);
    if (name === undefined) throw refusal;
    return name;
  });
}

/** The ids of the organization's tags with these names; unknown names are ignored. */
export async function idsOf(
  tx: Transaction<Database>,
  organizationId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: text })`
    select id from ws_tags where organization_id = ${organizationId}
       and name = any(${names.map((name) => name.toLowerCase())}::text[])`.execute(tx);
  return rows.map(({ id }) => id);
}
