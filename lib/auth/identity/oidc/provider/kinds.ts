import type { Transaction } from 'kysely';
import { z } from 'zod';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { Resource } from './resource.ts';

const texts = z.array(z.string()).readonly();

/** The entities that may log in at a client. `*` stands for all. */
export type Assignment = z.infer<typeof assignment>;
const assignment = z.strictObject({ entity_ids: texts, group_ids: texts }).readonly();

/** Claims that a client can ask for. */
export type Scope = z.infer<typeof scope>;
const scope = z.strictObject({ template: z.string(), description: z.string() }).readonly();

/** An issuer for some clients. */
export type Provider = z.infer<typeof provider>;
const provider = z.strictObject({ issuer: z.string(), allowed_client_ids: texts, scopes_supported: texts }).readonly();

export const assignments: Resource<Assignment> = {
  kind: 'assignment',
  schema: assignment,
  builtIn: { name: 'allow_all', settings: { entity_ids: ['*'], group_ids: ['*'] } },
};

export const scopes: Resource<Scope> = { kind: 'scope', schema: scope };

export const providers: Resource<Provider> = {
  kind: 'provider',
  schema: provider,
  builtIn: { name: 'default', settings: { issuer: '', allowed_client_ids: ['*'], scopes_supported: [] } },
};

/** The scope that every login has. */
export const openid = 'openid';

const usersShownMax = 32;

/** Names of the clients whose logins an assignment allows. */
export async function clientsOf(
  tx: Transaction<Database>,
  namespaceId: string,
  name: string,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from oidc_clients where namespace_id = ${namespaceId}
       and jsonb_exists(settings -> 'assignments', ${name}) order by name limit ${usersShownMax}`.execute(tx);
  return rows.map((row) => row.name);
}

/** Names of the providers that support a scope. */
export async function providersOf(
  tx: Transaction<Database>,
  namespaceId: string,
  name: string,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from oidc_settings where namespace_id = ${namespaceId} and kind = 'provider'
       and jsonb_exists(settings -> 'scopes_supported', ${name}) order by name limit ${usersShownMax}`.execute(tx);
  return rows.map((row) => row.name);
}

/** Whether an assignment admits an entity with these groups. */
export const admits = ({ entity_ids, group_ids }: Assignment, entityId: string, groupIds: readonly string[]): boolean =>
  entity_ids.includes('*') ||
  entity_ids.includes(entityId) ||
  group_ids.some((id) => id === '*' || groupIds.includes(id));
