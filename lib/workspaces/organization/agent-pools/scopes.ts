import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { JsonObject } from '../../../core/json.ts';
import { relatedMany } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { Database } from '../../../store/tables.ts';

const kinds = [
  { name: 'allowed-workspaces', table: 'ws_workspaces', column: 'workspace_id', noun: 'Workspace' },
  { name: 'allowed-projects', table: 'ws_projects', column: 'project_id', noun: 'Project' },
  { name: 'excluded-workspaces', table: 'ws_workspaces', column: 'workspace_id', noun: 'Workspace' },
] as const;

type Kind = (typeof kinds)[number];

/** What a request says about who may use a pool: for each kind that it names, all of them. */
export type Scopes = readonly { readonly kind: Kind; readonly ids: readonly string[] }[];

/** @throws ApiError 422 for relationships that are none */
export const scopesOf = (data: JsonObject): Scopes =>
  kinds.flatMap((kind) => {
    const related = relatedMany(data, kind.name);
    return related === undefined ? [] : [{ kind, ids: [...new Set(related.map(({ id }) => textOf(id, kind)))] }];
  });

function textOf(id: JsonObject[string] | undefined, { name }: Kind): string {
  if (typeof id !== 'string') throw unprocessable(`${name}: id has to be a text`);
  return id;
}

/** Replaces those that were named and keeps the other kinds. @throws ApiError 422 for what the organization does not have */
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

/**
 * Whether the agent pool of that alias serves a workspace, or a project where no workspace is named: a pool of the whole
 * organization all but those that it excludes, another one those that it names.
 */
export const serves = (
  pool: string,
  { workspaceId, projectId }: { readonly workspaceId?: string; readonly projectId: string | null },
): RawBuilder<boolean> => {
  const names = sql`(select 1 from ws_agent_pool_scopes s where s.agent_pool_id = ${sql.ref(`${pool}.id`)} and`;
  return sql`case when ${sql.ref(`${pool}.organization_scoped`)}
    then not exists ${names} s.kind = 'excluded-workspaces' and s.workspace_id = ${workspaceId ?? null})
    else exists ${names} (s.kind = 'allowed-workspaces' and s.workspace_id = ${workspaceId ?? null}
                          or s.kind = 'allowed-projects' and s.project_id = ${projectId})) end`;
};
