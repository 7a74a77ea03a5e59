import { sql, type Transaction } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { Database } from '../../../store/tables.ts';
import { grantsOfWorkspace, levelsOf, type Standing } from '../../access/standing.ts';
import { type GrantedRow, grantColumns, grantedIn } from '../../access/workspace.ts';
import { addTags } from './write.ts';

/** Binds a tag of the organization to workspaces of it. @throws ApiError 404 unless the caller is an administrator of each */
export async function bindTag(
  tx: Transaction<Database>,
  standing: Standing,
  tagId: string,
  workspaceIds: readonly string[],
): Promise<void> {
  const { id: organizationId } = standing.organization;
  const { rows: tags } = await sql<{ name: string }>`
    select name from ws_tags where id = ${tagId} and organization_id = ${organizationId}`.execute(tx);
  const [tag] = tags;
  if (tag === undefined) throw notFound();
  const { rows } = await sql<GrantedRow>`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.organization_id = ${organizationId} and w.id = any(${workspaceIds}::text[])
     order by w.id for no key update of w`.execute(tx);
  const mine = rows.filter((row) => levelsOf(standing, grantedIn(row)).admin);
  if (mine.length < workspaceIds.length) throw notFound();
  await addTags(tx, organizationId, workspaceIds, [tag.name]);
}
