import { type RawBuilder, sql } from 'kysely';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { operation } from '../../access/needs/operation.ts';
import { isReadable } from '../../access/readable.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { isActive, oldestFirst } from '../run-lifecycle/store.ts';
import { runQuery, runsOfStanding } from './list.ts';

const organization = '/api/v2/organizations/:organization_name';

/** The runs of an organization that wait for agents or are in progress, as far as the caller may read them. */
export const queueRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: `${organization}/runs/queue`,
    summary: 'List the queued runs of an organization, oldest first',
    needs: { organization: 'member' },
    query: { page: runQuery.page, include: runQuery.include },
    replies: { 200: ['runs'] },
    run: ({ found, query, origin }) =>
      runsOfStanding(parts, { ...query, origin }, { standing: found, condition: inQueue(found), order: oldestFirst }),
  }),
  operation({
    method: 'GET',
    path: `${organization}/capacity`,
    summary: 'Count the waiting and running runs of an organization',
    needs: { organization: 'member' },
    replies: { 200: 'organization-capacity' },
    run: ({ found }) => capacity(parts, found),
  }),
];

/** Runs waiting for confirmation do not wait for an agent. */
const inQueue = (standing: Standing): RawBuilder<unknown> => sql`
  ${isActive('r')} and not r.assessment and r.status <> 'planned' and r.workspace_id in (
    select w.id from ws_workspaces w where w.organization_id = ${standing.organization.id} and ${isReadable(standing)})`;

async function capacity(parts: WorkspaceParts, standing: Standing): Promise<ApiReply> {
  const { rows } = await rowsOf({ pending: int, running: int })`
    select (count(*) filter (where r.status in ('pending', 'confirmed')))::int as pending,
           (count(*) filter (where r.status in ('planning', 'applying')))::int as running
      from ws_runs r where ${inQueue(standing)}`.execute(parts.store.db);
  const { pending = 0, running = 0 } = rows[0] ?? {};
  return { data: { id: standing.organization.name, type: 'organization-capacity', attributes: { pending, running } } };
}
