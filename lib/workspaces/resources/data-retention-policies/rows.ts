import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Policy, policyBody, policyColumns, policyResource, policyTypes } from './policy.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/relationships/data-retention-policy';
const ofWorkspace = '/api/v2/workspaces/:workspace_id/relationships/data-retention-policy';
const one = { 200: { oneOf: policyTypes } };

/** Data retention policies of workspaces and organizations: how long state versions are kept. */
export const retentionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...organizationRows(parts),
  ...workspaceRows(parts),
];

const organizationRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'Read the data retention policy of an organization',
    needs: { organization: 'member' },
    replies: one,
    run: ({ found }) => readPolicy(store, organizationOwner(found.organization)),
  }),
  ...(['POST', 'PATCH'] as const).map((method) =>
    operation({
      method,
      path: ofOrganization,
      summary: `${verbs[method]} the data retention policy of an organization`,
      needs: { organization: 'owner' },
      body: policyBody,
      replies: one,
      run: ({ found, body }) => setPolicy(store, organizationOwner(found.organization), body),
    }),
  ),
  operation({
    method: 'DELETE',
    path: ofOrganization,
    summary: 'Delete the data retention policy of an organization',
    needs: { organization: 'owner' },
    replies: { 204: null },
    run: ({ found }) => removePolicy(store, organizationOwner(found.organization)),
  }),
];

const workspaceRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'Read the data retention policy of a workspace',
    needs: { workspace: 'read' },
    replies: one,
    run: ({ found }) => readPolicy(store, workspaceOwner(found.workspace)),
  }),
  ...(['POST', 'PATCH'] as const).map((method) =>
    operation({
      method,
      path: ofWorkspace,
      summary: `${verbs[method]} the data retention policy of a workspace`,
      needs: { workspace: 'admin' },
      body: policyBody,
      replies: one,
      run: ({ found, body }) => setPolicy(store, workspaceOwner(found.workspace), body),
    }),
  ),
  operation({
    method: 'DELETE',
    path: ofWorkspace,
    summary: 'Delete the data retention policy of a workspace',
    needs: { workspace: 'admin' },
    replies: { 204: null },
    run: ({ found }) => removePolicy(store, workspaceOwner(found.workspace)),
  }),
];

const verbs = { POST: 'Set', PATCH: 'Update' };

/** The owner of a policy: a workspace, or an organization for its workspaces without a policy. */
interface PolicyOwner {
  readonly column: 'workspace_id' | 'organization_id';
  readonly id: string;
}

const organizationOwner = ({ id }: { readonly id: string }): PolicyOwner => ({ column: 'organization_id', id });
const workspaceOwner = ({ id }: { readonly id: string }): PolicyOwner => ({ column: 'workspace_id', id });

type Db = Pick<Store, 'db'>;

async function readPolicy({ db }: Db, { column, id }: PolicyOwner): Promise<ApiReply> {
  const { rows } = await rowsOf(policyColumns)`
    select id, type, days from ws_retention_policies where ${sql.ref(column)} = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: policyResource(row) };
}

/** Replacing a policy keeps its id. */
async function setPolicy({ db }: Db, { column, id }: PolicyOwner, { type, days }: Policy): Promise<ApiReply> {
  const of = sql.ref(column);
  const set = rowsOf(policyColumns)`
    insert into ws_retention_policies (id, ${of}, type, days) values (${newId('drp')}, ${id}, ${type}, ${days})
        on conflict (${of}) do update set type = excluded.type, days = excluded.days
    returning id, type, days`;
  const { rows } = await withRefusals({}, () => set.execute(db));
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: policyResource(row) };
}

async function removePolicy({ db }: Db, { column, id }: PolicyOwner): Promise<undefined> {
  const { rows } = await sql`
    delete from ws_retention_policies where ${sql.ref(column)} = ${id} returning id`.execute(db);
  if (rows.length === 0) throw notFound();
}
