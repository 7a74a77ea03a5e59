import type { Connection } from './fields.ts';

const rule = 'give workspace_id, or organization_name and workspace_name, or variable_set_id';

/** Rules over the fields of a connection. Texts name the field, the problem and the rule. */
export function validate(connection: Connection): readonly string[] {
  return [...targetProblems(connection), ...hclProblems(connection)];
}

function targetProblems(connection: Connection): readonly string[] {
  const { workspace_id, organization_name, workspace_name, variable_set_id } = connection;
  const isNamed = organization_name !== undefined || workspace_name !== undefined;
  const targets = [workspace_id !== undefined, isNamed, variable_set_id !== undefined].filter((isGiven) => isGiven);
  if (targets.length > 1) return [`variables go to one place: ${rule}`];
  if (targets.length === 0) return [`it is not said where the variables go: ${rule}`];
  if (isNamed && (organization_name === undefined || workspace_name === undefined)) {
    return ['organization_name and workspace_name must be set together'];
  }
  return [];
}

function hclProblems({ category, hcl }: Connection): readonly string[] {
  return hcl && category !== 'engine' ? ['hcl is only for category engine: environment variables are plain texts'] : [];
}
