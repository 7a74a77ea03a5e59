import { type RawBuilder, sql } from 'kysely';
import { type Levels, variableLevels } from './levels.ts';
import { levelsEverywhere, managesWorkspaces, type Standing } from './standing.ts';

/** Whether the caller may give teams any access: owners may, and teams that manage the access to the organization. */
export const givesAll = ({ isOwner, may }: Standing): boolean => isOwner || may('manage-organization-access');

/**
 * The condition that the grant `g` of a team, on a workspace or a project, has a right that the caller does not have there. The caller has the
 * rights of its access to the organization, and those that its teams were granted on the same workspace or on its project. For a project, only
 * rights on the whole project count.
 */
export function exceeds(standing: Standing): RawBuilder<unknown> {
  if (givesAll(standing)) return sql`false`;
  const own = levelsEverywhere(standing);
  const ownsProjects = standing.may('manage-projects');
  const conditions = [
    ...(['runs', 'variables', 'state_versions'] as const).map((name) =>
      noLarger(column('g', name), column('o', name), own[name]),
    ),
    ...(['locking', 'run_tasks', 'admin', 'moves'] as const satisfies readonly (keyof Levels)[]).map((name) =>
      held(column('g', name), column('o', name), own[name]),
    ),
    held(removes('g'), removes('o'), own.removes),
    held(column('g', 'creates'), column('o', 'creates'), ownsProjects),
    held(column('g', 'project_admin'), column('o', 'project_admin'), ownsProjects),
    ...Object.entries(ranks).map(([name, texts]) =>
      noLarger(rank('g', name, texts), rank('o', name, texts), ranksEverywhere(standing, own)[name] ?? 0),
    ),
  ];
  return sql`(
    select not (${sql.join(conditions, sql` and `)}) from ws_grants o
     where o.team_id = any(${standing.teamIds}::text[])
       and (o.workspace_id = g.workspace_id
         or o.project_id = coalesce(g.project_id, (select w.project_id from ws_workspaces w where w.id = g.workspace_id))))`;
}

const column = (alias: string, name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);

/** As in `levelsOf`, administrators may remove as well. */
const removes = (alias: string): RawBuilder<unknown> =>
  sql`(${column(alias, 'admin')} or coalesce(${column(alias, 'settings')}->'delete' = 'true', false))`;

/** Levels of a project that are texts in the settings of a grant, in ascending order above the lowest one. */
const ranks: Readonly<Record<string, readonly [string, string]>> = {
  'project-settings': ['update', 'delete'],
  'project-teams': ['read', 'manage'],
  'variable-sets': ['read', 'write'],
};

function ranksEverywhere(standing: Standing, own: Levels): Readonly<Record<string, number>> {
  const ofProjects = standing.may('manage-projects') ? 2 : 0;
  const ofSets = managesWorkspaces(standing) ? 2 : own.variables >= variableLevels.read ? 1 : 0;
  return { 'project-settings': ofProjects, 'project-teams': ofProjects, 'variable-sets': ofSets };
}

const rank = (alias: string, name: string, [second, third]: readonly [string, string]): RawBuilder<unknown> =>
  sql`(case ${column(alias, 'settings')}->>${name}::text when ${third} then 2 when ${second} then 1 else 0 end)`;

const noLarger = (given: RawBuilder<unknown>, granted: RawBuilder<unknown>, everywhere: number): RawBuilder<unknown> =>
  sql`${given} <= greatest(${everywhere}::int, coalesce(max(${granted}), 0))`;

const held = (given: RawBuilder<unknown>, granted: RawBuilder<unknown>, everywhere: boolean): RawBuilder<unknown> =>
  sql`(not ${given} or ${everywhere}::boolean or coalesce(bool_or(${granted}), false))`;
