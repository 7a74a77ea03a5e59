import { sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, text } from '#store/sql/kinds.ts';
import { wsPoliciesTable } from '#store/tables/runs.ts';

/** A policy as shown. */
export type PolicyRow = RowOf<typeof policyColumns>;

export const policyColumns = {
  ...pick(wsPoliciesTable, 'id', 'name', 'description', 'query', 'enforcement_level', 'updated_at'),
  organization_name: text,
  policy_set_ids: arrayOf(text),
};

/** Columns of `PolicyRow` for the policy `p` of organization `o`. */
export const shownPolicy = sql`p.id, p.name, p.description, p.query, p.enforcement_level, p.updated_at,
  o.name as organization_name,
  array(select l.policy_set_id from ws_policy_set_policies l where l.policy_id = p.id order by 1) as policy_set_ids`;

/** The document of a policy, without its text. */
export const policyOf = ({ id, ...row }: PolicyRow): Resource => ({
  id,
  type: 'policies',
  attributes: {
    name: row.name,
    description: row.description,
    kind: 'opa',
    query: row.query,
    'enforcement-level': row.enforcement_level,
    enforce: [{ path: `${row.name}.rego`, mode: row.enforcement_level }],
    'policy-set-count': row.policy_set_ids.length,
    'updated-at': timeText(row.updated_at),
  },
  relationships: {
    organization: toOne('organizations', row.organization_name),
    'policy-sets': toMany('policy-sets', row.policy_set_ids),
  },
  links: {
    self: `/api/v2/policies/${id}`,
    upload: `/api/v2/policies/${id}/upload`,
    download: `/api/v2/policies/${id}/download`,
  },
});
