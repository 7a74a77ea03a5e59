import { type RawBuilder, sql } from 'kysely';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import { isReadable } from '../../../access/readable.ts';
import { type Standing, standingIn } from '../../../access/standing.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { isActive, oldestFirst } from '../store.ts';
import { runsOfStanding } from './list.ts';

const organization = '/api/v2/organizations/:organization_name';

/** What waits for agents in an organization, and what they are at, as far as the caller may read it. */
export const queueRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: `${organization}/runs/queue`,
    summary: 'The queue of runs of an organization, the oldest first',
    async run(call) {
      const standing = await standingFor(parts, call);
      return runsOfStanding(parts, call, { standing, condition: inQueue(standing), order: oldestFirst });
    },
  },
  {
    method: 'GET',
    path: `${organization}/capacity`,
    summary: 'How many runs of an organization wait and run',
    run: (call) => capacity(parts, call),
  },
];

const standingFor = ({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<Standing> =>
  standingIn(store, caller, parameters['organization_name'] ?? '');

/** A run that waits to be confirmed waits for no agent. */
const inQueue = (standing: Standing): RawBuilder<unknown> => sql`
  ${isActive('r')} and r.status <> 'planned' and r.workspace_id in (
    select w.id from ws_workspaces w where w.organization_id = ${standing.organization.id} and ${isReadable(standing)})`;

async function capacity(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const standing = await standingFor(parts, call);
  const { rows } = await sql<{ pending: number; running: number }>`
    select (count(*) filter (where r.status in ('pending', 'confirmed')))::int as pending,
           (count(*) filter (where r.status in ('planning', 'applying')))::int as running
      from ws_runs r where ${inQueue(standing)}`.execute(parts.store.db);
  const { pending = 0, running = 0 } = rows[0] ?? {};
  return { data: { id: standing.organization.name, type: 'organization-capacity', attributes: { pending, running } } };
}
