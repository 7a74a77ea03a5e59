import { type RawBuilder, sql } from 'kysely';
import { type Levels, variableLevels } from './levels.ts';
import { levelsEverywhere, managesWorkspaces, type Standing } from './standing.ts';

/** May give teams whatever access there is: owners do, and those that manage the access of the organization. */
export const givesAll = ({ isOwner, may }: Standing): boolean => isOwner || may('manage-organization-access');

/**
 * Whether the grant `g` of a team, on a workspace or a project, has anything that the caller does not have there itself: as a
 * condition. The caller has what its standing gives everywhere, and what its teams were granted on the same workspace or on its
 * project. On a project only what it has on the whole of it counts.
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

/** As `levelsOf` has it: administrators remove, too. */
const removes = (alias: string): RawBuilder<unknown> =>
  sql`(${column(alias, 'admin')} or coalesce(${column(alias, 'settings')}->'delete' = 'true', false))`;

/** Levels of a project that the settings of a grant hold as texts, the smallest first; what is absent is the smallest. */
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
