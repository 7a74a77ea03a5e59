import { type Problem, problemOf } from '#core/problem.ts';
import type { FieldRelation } from '../contract.ts';
import type { Connection } from './fields/fields.ts';

const rule = 'set workspace_id, or organization_name and workspace_name, or variable_set_id';

const namedBy = ['organization_name', 'workspace_name'];
const targets = [['workspace_id'], namedBy, ['variable_set_id']];

export const relations: readonly FieldRelation[] = [
  { kind: 'alternatives', sets: targets, required: true },
  { kind: 'together', fields: namedBy },
  { kind: 'only-with', fields: ['hcl'], field: 'category', values: ['engine'] },
];

/** Rules about the fields of a connection. Texts name the field, the problem and the rule. */
export function validate(connection: Connection): readonly Problem[] {
  return [...targetProblems(connection), ...hclProblems(connection)];
}

function targetProblems(connection: Connection): readonly Problem[] {
  const { workspace_id, organization_name, workspace_name, variable_set_id } = connection;
  const isNamed = organization_name !== undefined || workspace_name !== undefined;
  const targets = [workspace_id !== undefined, isNamed, variable_set_id !== undefined].filter((isGiven) => isGiven);
  if (targets.length > 1) return [targetProblem(`only one target is allowed: ${rule}`)];
  if (targets.length === 0) return [targetProblem(`the target of the variables is missing: ${rule}`)];
  if (isNamed && (organization_name === undefined || workspace_name === undefined)) {
    return [problemOf(namedBy, 'organization_name and workspace_name must be set together')];
  }
  return [];
}

const targetProblem = (text: string): Problem => problemOf(targets.flat(), text);

function hclProblems({ category, hcl }: Connection): readonly Problem[] {
  if (!hcl || category === 'engine') return [];
  return [problemOf(['hcl', 'category'], 'hcl is only for category engine: environment variables are plain texts')];
}
