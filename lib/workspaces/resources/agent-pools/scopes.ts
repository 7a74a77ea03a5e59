import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { Database } from '#store/tables.ts';

const kinds = [
  { name: 'allowed-workspaces', table: 'ws_workspaces', column: 'workspace_id', noun: 'Workspace' },
  { name: 'allowed-projects', table: 'ws_projects', column: 'project_id', noun: 'Project' },
  { name: 'excluded-workspaces', table: 'ws_workspaces', column: 'workspace_id', noun: 'Workspace' },
] as const;

type Kind = (typeof kinds)[number];

/** The relationships of a pool in a request. */
export type SentScopes = Readonly<Record<Kind['name'], readonly JsonObject[] | undefined>>;

/** The scopes of a pool in a request: the complete list of each kind that the request contains. */
export type Scopes = readonly { readonly kind: Kind; readonly ids: readonly string[] }[];

/** @throws ApiError 422 for malformed relationships */
export const scopesOf = (sent: SentScopes): Scopes =>
  kinds.flatMap((kind) => {
    const related = sent[kind.name];
    return related === undefined ? [] : [{ kind, ids: [...new Set(related.map(({ id }) => textOf(id, kind)))] }];
  });

function textOf(id: JsonObject[string] | undefined, { name }: Kind): string {
  if (typeof id !== 'string') throw unprocessable(`${name}: id must be a string`);
  return id;
}

/** Replaces the kinds that were sent and keeps the others. @throws ApiError 422 for ids that are not in the organization */
export async function setScopes(
  tx: Transaction<Database>,
  pool: { readonly id: string; readonly organizationId: string },
  scopes: Scopes,
): Promise<void> {
  for (const { kind, ids } of scopes) {
    const { name, table, column, noun } = kind;
    await sql`delete from ws_agent_pool_scopes where agent_pool_id = ${pool.id} and kind = ${name}`.execute(tx);
    const { numAffectedRows } = await sql`
      insert into ws_agent_pool_scopes (agent_pool_id, kind, ${sql.ref(column)})
      select ${pool.id}, ${name}, t.id from ${sql.table(table)} t
       where t.organization_id = ${pool.organizationId} and t.id = any(${ids}::text[])`.execute(tx);
    if (Number(numAffectedRows ?? 0) < ids.length)
      throw unprocessable(`${noun} not found, or you are not authorized to use it.`);
  }
}

/** An id, or an expression for one. */
type Id = string | RawBuilder<unknown>;

/**
 * Whether the agent pool with this alias serves a workspace, or a project when no workspace is given. An organization-wide pool
 * serves all workspaces except the excluded ones; any other pool serves those that it allows.
 */
export const serves = (
  pool: string,
  { workspaceId, projectId }: { readonly workspaceId?: Id; readonly projectId: Id | null },
): RawBuilder<unknown> => {
  const names = sql`(select 1 from ws_agent_pool_scopes s where s.agent_pool_id = ${sql.ref(`${pool}.id`)} and`;
  return sql`case when ${sql.ref(`${pool}.organization_scoped`)}
    then not exists ${names} s.kind = 'excluded-workspaces' and s.workspace_id = ${workspaceId ?? null})
    else exists ${names} (s.kind = 'allowed-workspaces' and s.workspace_id = ${workspaceId ?? null}
                          or s.kind = 'allowed-projects' and s.project_id = ${projectId})) end`;
};
