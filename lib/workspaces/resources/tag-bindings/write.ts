import { sql, type Transaction } from 'kysely';
import { isJsonObject, type JsonObject } from '#core/json/json.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';

export interface Binding {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
}

export type BindingOwner = { readonly workspaceId: string } | { readonly projectId: string };

const bindingsMax = 10;
const keyCharactersMax = 128;
const valueCharactersMax = 256;
const pattern = /^[A-Za-z0-9_.=+\-@:]*$/;
const signs = 'letters, digits and _ . = + - @ :';

const tooMany = () => unprocessable(`cannot exceed ${bindingsMax} bindings per resource`);

/**
 * Reads the bindings in a document.
 *
 * @throws ApiError 422 for malformed bindings, or for too many
 */
export function bindingsOf(sent: readonly JsonObject[]): readonly Binding[] {
  if (sent.length > bindingsMax) throw tooMany();
  const bindings = sent.map(({ type = 'tag-bindings', attributes = null }) => {
    if (type !== 'tag-bindings') throw unprocessable('type must be "tag-bindings"');
    return bindingOf(isJsonObject(attributes) ? attributes : {});
  });
  if (new Set(bindings.map(({ key }) => key)).size < bindings.length) throw unprocessable('Key has already been taken');
  return bindings;
}

function bindingOf({ key = null, value }: JsonObject): Binding {
  if (typeof key !== 'string' || key === '' || key.length > keyCharactersMax || !pattern.test(key))
    throw unprocessable(`Key must have 1 to ${keyCharactersMax} ${signs}`);
  if (/^hcp?:/i.test(key)) throw unprocessable('Key must not begin with a reserved prefix');
  const text = value ?? '';
  if (typeof text !== 'string' || text.length > valueCharactersMax || !pattern.test(text))
    throw unprocessable(`Value must have at most ${valueCharactersMax} ${signs}`);
  return { key, value: text };
}

/** Replaces all bindings of a workspace or a project; unchanged keys keep their id and position. The caller must have locked the owner. */
export async function setBindings(
  tx: Transaction<Database>,
  owner: BindingOwner,
  bindings: readonly Binding[],
): Promise<void> {
  const { column, id } = ownerColumn(owner);
  const keys = bindings.map(({ key }) => key);
  await sql`delete from ws_tag_bindings where ${column} = ${id} and not key = any(${keys}::text[])`.execute(tx);
  await write(tx, owner, bindings);
}

/**
 * Adds bindings to a workspace or a project; existing keys get the new value. The caller must have locked the owner.
 *
 * @throws ApiError 422 when the limit is exceeded
 */
export async function mergeBindings(
  tx: Transaction<Database>,
  owner: BindingOwner,
  bindings: readonly Binding[],
): Promise<void> {
  await write(tx, owner, bindings);
  const { column, id } = ownerColumn(owner);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::integer as count from ws_tag_bindings where ${column} = ${id}`.execute(tx);
  if ((rows[0]?.count ?? 0) > bindingsMax) throw tooMany();
}

async function write(tx: Transaction<Database>, owner: BindingOwner, bindings: readonly Binding[]): Promise<void> {
  if (bindings.length === 0) return;
  const { column, id } = ownerColumn(owner);
  const ids = bindings.map(() => newId('tb'));
  const keys = bindings.map(({ key }) => key);
  if ('workspaceId' in owner) await mustNotOverride(tx, owner.workspaceId, keys);
  const values = bindings.map(({ value }) => value);
  await sql`
    insert into ws_tag_bindings (id, ${column}, key, value)
    select n.id, ${id}, n.key, n.value
      from unnest(${ids}::text[], ${keys}::text[], ${values}::text[]) with ordinality n (id, key, value, place)
     order by n.place
        on conflict (${column}, key) do update set value = excluded.value`.execute(tx);
}

/**
 * A workspace must not override a value of its project for a key that the organization has reserved without overrides.
 *
 * @throws ApiError 422
 */
async function mustNotOverride(tx: Transaction<Database>, workspaceId: string, keys: readonly string[]): Promise<void> {
  const { rows } = await rowsOf({ key: text })`
    select b.key from ws_workspaces w
      join ws_tag_bindings b on b.project_id = w.project_id and b.key = any(${keys}::text[])
      join ws_reserved_tag_keys r on r.organization_id = w.organization_id and r.key = b.key and r.disable_overrides
     where w.id = ${workspaceId} order by b.key limit 1`.execute(tx);
  const [row] = rows;
  if (row !== undefined)
    throw unprocessable(
      `Key "${row.key}" is set by the project, and the organization does not let workspaces override it.`,
    );
}

/** The column for the owner of a binding, and its value. */
export const ownerColumn = (owner: BindingOwner) =>
  'workspaceId' in owner
    ? { column: sql.ref('workspace_id'), id: owner.workspaceId }
    : { column: sql.ref('project_id'), id: owner.projectId };
