import { type QueryExecutorProvider, sql } from 'kysely';
import { unprocessable } from '../../../path/jsonapi/error.ts';

/** Locks the team of owners, so that of two who take the last two owners out one comes later. */
export const lockOwners = (tx: QueryExecutorProvider, organizationId: string) =>
  sql`select 1 from ws_teams where organization_id = ${organizationId} and owners for no key update`.execute(tx);

/** For a change that has locked the team of owners. @throws ApiError 422 when no active member were left in it */
export async function mustKeepOwner(tx: QueryExecutorProvider, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_teams t join ws_team_members m on m.team_id = t.id
      join ws_memberships s on s.user_id = m.user_id and s.organization_id = t.organization_id and s.status = 'active'
     where t.organization_id = ${organizationId} and t.owners limit 1`.execute(tx);
  if (rows.length === 0) throw unprocessable('The owners team must have at least one member.');
}
