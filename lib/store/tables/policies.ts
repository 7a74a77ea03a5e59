// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/policies.ts.
import { bool, int, json, nullable, oneOf, text, timestamptz, withDefault } from '../sql/kinds.ts';

export const wsPoliciesTable = {
  id: text,
  organization_id: text,
  name: text,
  description: nullable(text),
  query: text,
  enforcement_level: oneOf('advisory', 'mandatory'),
  /** Rego; null until it is uploaded. */
  source: nullable(text),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

/** What the policies of a workspace say of a plan. */
export const wsPolicyEvaluationsTable = {
  id: text,
  stage_id: text,
  organization_id: text,
  status: withDefault(text),
  /** Whether its failure may be overridden. */
  overridable: withDefault(bool),
  /** Policies by their outcome. */
  counts: withDefault(json),
  tool_version: nullable(text),
  timestamps: withDefault(json),
  attempts: withDefault(int),
  /** When it is made; null: it has ended. */
  next_at: nullable(timestamptz),
  claimed_until: nullable(timestamptz),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

/** The part of one policy set in an evaluation, as the set was then. */
export const wsPolicyOutcomesTable = {
  id: text,
  evaluation_id: text,
  position: int,
  policy_set_name: text,
  policy_set_description: nullable(text),
  overridable: bool,
  /** One for each policy. */
  outcomes: json,
  counts: json,
  error: withDefault(text),
};

/** Workspaces to which a policy set does not apply. */
export const wsPolicySetExclusionsTable = {
  policy_set_id: text,
  workspace_id: text,
};

export const wsPolicySetPoliciesTable = {
  policy_set_id: text,
  policy_id: text,
};

export const wsPolicySetProjectsTable = {
  policy_set_id: text,
  project_id: text,
};

export const wsPolicySetWorkspacesTable = {
  policy_set_id: text,
  workspace_id: text,
};

export const wsPolicySetsTable = {
  id: text,
  organization_id: text,
  name: text,
  description: nullable(text),
  /** It applies to all workspaces of the organization. */
  global: withDefault(bool),
  overridable: withDefault(bool),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};
