// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/variables.ts.
import { bigintText, bool, bytea, generated, nullable, oneOf, text, timestamptz, withDefault } from '../sql/kinds.ts';

export const wsVariableSetProjectsTable = {
  variable_set_id: text,
  project_id: text,
};

export const wsVariableSetWorkspacesTable = {
  variable_set_id: text,
  workspace_id: text,
};

export const wsVariableSetsTable = {
  id: text,
  organization_id: text,
  project_id: nullable(text),
  name: text,
  description: withDefault(text),
  global: withDefault(bool),
  priority: withDefault(bool),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

export const wsVariablesTable = {
  id: text,
  workspace_id: nullable(text),
  variable_set_id: nullable(text),
  key: text,
  /** Sealed. */
  value: bytea,
  description: withDefault(text),
  category: oneOf('terraform', 'env'),
  hcl: withDefault(bool),
  sensitive: withDefault(bool),
  version: text,
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
};
