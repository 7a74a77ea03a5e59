import type { Resource } from '#path/jsonapi/resource.ts';
import { pick } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsRetentionPoliciesTable } from '#store/tables/workspaces.ts';
import type { Standing } from '../../access/standing.ts';
import { organizationResource } from './view.ts';

/** The documents of organizations in the order of the standings, read in one statement. */
export async function organizationDocuments(
  { db }: Pick<Store, 'db'>,
  standings: readonly Standing[],
): Promise<readonly Resource[]> {
  const ids = standings.map(({ organization }) => organization.id);
  const { rows } = await rowsOf({ ...pick(wsRetentionPoliciesTable, 'id', 'type'), organization_id: text })`
    select organization_id, id, type from ws_retention_policies
     where organization_id = any((select ${ids}::text[])::text[])`.execute(db);
  const byOrganization = new Map(rows.map((row) => [row.organization_id, row]));
  return standings.map((standing) => organizationResource(standing, byOrganization.get(standing.organization.id)));
}

/** The document of one organization. */
export async function organizationDocument(
  store: Pick<Store, 'db'>,
  found: Standing | Promise<Standing>,
): Promise<Resource> {
  const standing = await found;
  const [document] = await organizationDocuments(store, [standing]);
  return document ?? organizationResource(standing);
}
