import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { patience } from '../../support/measures/patience.ts';
import type { WorkspaceGround } from './ground.ts';

export const md5Of = (bytes: string | Buffer): string => createHash('md5').update(bytes).digest('hex');

/** Sends a file to an upload address without a token, as clients do. */
export const put = (url: unknown, body: NonNullable<RequestInit['body']>): Promise<Response> =>
  fetch(String(url), {
    method: 'PUT',
    body,
    signal: AbortSignal.timeout(patience.conditionMs),
    ...halfDuplex,
  } as RequestInit);

/** `fetch` needs it for a streamed body. */
const halfDuplex = { duplex: 'half' };

/** A state of the engine: one managed resource with two instances, one data source, three outputs. */
export function stateText({ serial = 1, lineage = 'l-1', secret = 'marker-state' } = {}): string {
  return JSON.stringify(
    {
      version: 4,
      terraform_version: '1.11.4',
      serial,
      lineage,
      outputs: {
        plain: { value: 'shown', type: 'string' },
        hidden: { value: secret, type: 'string', sensitive: true },
        many: { value: [1, 2.5, 12345678901234567890n.toString()], type: ['tuple', ['number', 'number', 'string']] },
      },
      resources: [
        {
          mode: 'managed',
          type: 'null_resource',
          name: 'one',
          provider: 'provider["registry.example/null"]',
          instances: [
            { index_key: 0, attributes: { id: '1', secret } },
            { index_key: 1, attributes: { id: '2' } },
          ],
        },
        {
          module: 'module.m',
          mode: 'data',
          type: 'http',
          name: 'two',
          provider: 'provider["registry.example/http"]',
          instances: [{ attributes: { body: 'x' } }],
        },
      ],
      check_results: [{ object_kind: 'output', status: 'pass' }],
    },
    null,
    2,
  );
}

/** The document of a new state version. */
export const stateVersion = (attributes: object, run?: string) => ({
  data: {
    type: 'state-versions',
    attributes,
    ...(run === undefined ? {} : { relationships: { run: { data: { type: 'runs', id: run } } } }),
  },
});

/** A locked workspace. */
export async function lockedWorkspace(ground: WorkspaceGround) {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const user = await ground.user(organization.id);
  const team = await ground.team(organization.id, { members: [user.id] });
  await ground.grant(team.id, { workspace: id }, 'write');
  const lock = (kind: string | null, holder: string | null) =>
    sql`update ws_workspaces set lock_kind = ${kind}, lock_holder = ${holder} where id = ${id}`.execute(
      ground.service.store.db,
    );
  await lock('users', user.id);
  const row = async () => {
    const { rows } = await sql<{ current_state_version_id: string | null; resource_count: number }>`
      select current_state_version_id, resource_count from ws_workspaces where id = ${id}`.execute(
      ground.service.store.db,
    );
    return rows[0];
  };
  return { id, organization, user, team, lock, row, path: `/workspaces/${id}/state-versions` };
}

/** Stored files of a workspace. */
export async function filesOf(ground: WorkspaceGround, workspaceId: string) {
  const { rows } = await sql<{ id: string; kind: string; whole: boolean; chunks: number }>`
    select b.id, b.kind, b.whole, (select count(*)::int from ws_blob_chunks c where c.blob_id = b.id) as chunks
      from ws_blobs b where b.workspace_id = ${workspaceId}`.execute(ground.service.store.db);
  return rows;
}
