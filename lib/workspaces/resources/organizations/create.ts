import { sql, type Transaction } from 'kysely';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isSiteAdmin, organizationAccessById, rootId } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Changeable, changedBy, mustHavePool, type SentOrganization } from './change.ts';
import { organizationDocument } from './document.ts';

/**
 * Creates an organization with its first project and an owners team. The creator becomes an owner, except for the user of the root
 * token, who has all rights anyway and joins no team: the owners team then stays empty until the first invitation.
 */
export async function createOrganization(
  store: Store,
  caller: ApiCaller,
  sent: SentOrganization,
): Promise<DocumentReply> {
  const columns = changedBy(sent, nothingYet);
  if (columns.name === '') throw invalidAttribute('name', "Name can't be blank");
  if (columns.email === '') throw invalidAttribute('email', "Email can't be blank");
  const id = newId('org');
  await withRefusals({ ws_organizations_name: 'name' }, () =>
    store.transaction((tx) => insert(tx, { id, columns, caller })),
  );
  return { status: 201, data: await organizationDocument(store, organizationAccessById(store, caller, sql`${id}`)) };
}

const nothingYet: Changeable = {
  name: '',
  email: '',
  default_execution_mode: 'remote',
  default_agent_pool_id: null,
  allow_force_delete_workspaces: false,
  assessments_enforced: false,
  settings: {},
};

interface Making {
  readonly id: string;
  readonly columns: Changeable;
  readonly caller: ApiCaller;
}

async function insert(tx: Transaction<Database>, { id, columns, caller }: Making): Promise<void> {
  await mustHavePool(tx, id, columns);
  if (!isSiteAdmin(caller)) await mustHaveRoom(tx, caller.id);
  const [projectId, teamId] = [newId('prj'), newId('team')];
  await sql`
    insert into ws_organizations (id, name, email, default_execution_mode, default_project_id, allow_force_delete_workspaces,
                                  assessments_enforced, settings)
    values (${id}, ${columns.name}, ${columns.email}, ${columns.default_execution_mode}, ${projectId},
            ${columns.allow_force_delete_workspaces}, ${columns.assessments_enforced}, ${JSON.stringify(columns.settings)})`.execute(
    tx,
  );
  await sql`insert into ws_projects (id, organization_id, name) values (${projectId}, ${id}, 'Default Project')`.execute(
    tx,
  );
  await sql`insert into ws_teams (id, organization_id, name, owners) values (${teamId}, ${id}, 'owners', true)`.execute(
    tx,
  );
  if (caller.id === rootId) return;
  await sql`
    insert into ws_memberships (id, organization_id, user_id, email, status)
    select ${newId('ou')}, ${id}, id, email, 'active' from ws_users where id = ${caller.id}`.execute(tx);
  await sql`insert into ws_team_members (team_id, user_id) values (${teamId}, ${caller.id})`.execute(tx);
}

/** Organizations that one user may own before creating another. */
const organizationsMax = 100;

async function mustHaveRoom(tx: Transaction<Database>, userId: string): Promise<void> {
  // One at a time per user: two concurrent requests would get the same count.
  await sql`select 1 from ws_users where id = ${userId} for update`.execute(tx);
  const { rows } = await sql`
    select 1 from ws_team_members m join ws_teams t on t.id = m.team_id and t.owners
     where m.user_id = ${userId} offset ${organizationsMax - 1} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`A user may own at most ${organizationsMax} organizations.`);
}
