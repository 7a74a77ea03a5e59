import { sql, type Transaction } from 'kysely';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { unprocessable } from '../../path/jsonapi/error.ts';
import type { Database } from '../../store/tables.ts';
import { newId } from '../ids.ts';

export interface Binding {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
}

export type BindingOwner = { readonly workspaceId: string } | { readonly projectId: string };

const bindingsMax = 10;
const pattern = /^[A-Za-z0-9_.=+\-@: ]*$/;

/** Bindings as a document has them. @throws ApiError 422 for what is none, and for more than one thing may have */
export function bindingsOf(sent: readonly JsonObject[]): readonly Binding[] {
  if (sent.length > bindingsMax) throw unprocessable(`cannot exceed ${bindingsMax} bindings per resource`);
  const bindings = sent.map(({ attributes = null }) => bindingOf(isJsonObject(attributes) ? attributes : {}));
  if (new Set(bindings.map(({ key }) => key)).size < bindings.length) throw unprocessable('Key has already been taken');
  return bindings;
}

function bindingOf({ key, value = '' }: JsonObject): Binding {
  if (typeof key !== 'string' || key === '' || key.length > 128 || !pattern.test(key))
    throw unprocessable('Key must have 1 to 128 letters, digits, spaces and _ . = + - @ :');
  if (/^hcp?:/i.test(key)) throw unprocessable('Key must not begin with a reserved prefix');
  if (typeof value !== 'string' || value.length > 256 || !pattern.test(value))
    throw unprocessable('Value must have at most 256 letters, digits, spaces and _ . = + - @ :');
  return { key, value };
}

/** Replaces all bindings of a workspace or a project; one that stays keeps its id. */
export async function setBindings(
  tx: Transaction<Database>,
  owner: BindingOwner,
  bindings: readonly Binding[],
): Promise<void> {
  const [column, id] = 'workspaceId' in owner ? ['workspace_id', owner.workspaceId] : ['project_id', owner.projectId];
  const of = sql.ref(column);
  const keys = bindings.map(({ key }) => key);
  await sql`delete from ws_tag_bindings where ${of} = ${id} and not key = any(${keys}::text[])`.execute(tx);
  if (bindings.length === 0) return;
  await sql`
    insert into ws_tag_bindings (id, ${of}, key, value)
    select n.id, ${id}, n.key, n.value
      from unnest(${bindings.map(() => newId('tb'))}::text[], ${keys}::text[], ${bindings.map(({ value }) => value)}::text[])
           with ordinality n (id, key, value, place)
     order by n.place
        on conflict (${of}, key) do update set value = excluded.value`.execute(tx);
}
