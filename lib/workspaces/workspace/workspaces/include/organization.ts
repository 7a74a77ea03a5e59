import { sql } from 'kysely';
import { timeText } from '../../../../path/jsonapi/resource.ts';
import type { Include } from './including.ts';

export const organization: Include = async ({ parts, found: [first] }) => {
  if (first === undefined) return { resources: [] };
  const { id, name, ...own } = first.standing.organization;
  const { rows } = await sql<{ email: string; created_at: Date }>`
    select email, created_at from ws_organizations where id = ${id}`.execute(parts.store.db);
  const resources = rows.map(({ email, created_at }) => ({
    ...{ id: name, type: 'organizations' },
    attributes: {
      ...{ name, email, 'external-id': id, 'created-at': timeText(created_at) },
      'allow-force-delete-workspaces': own.allow_force_delete_workspaces,
      'assessments-enforced': own.assessments_enforced,
      'default-execution-mode': own.default_execution_mode,
    },
    links: { self: `/api/v2/organizations/${name}` },
  }));
  return { resources };
};
