import { sql } from 'kysely';
import { includesIn } from '#path/jsonapi/query.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { runLevels } from '../../access/levels.ts';
import { grantedProjectColumns, projectGrantColumns, projectGrants, projectLevels } from '../../access/project.ts';
import { agentPoolColumns, agentPoolResource, agentPoolRowColumns } from '../agent-pools/view.ts';
import { assessmentsWhere } from '../assessments/store.ts';
import { assessmentOf } from '../assessments/view.ts';
import { organizationDocument } from '../organizations/document.ts';
import { countColumns } from '../projects/read.ts';
import { projectCountColumns, projectResource } from '../projects/view.ts';
import { effectiveExecution } from '../workspace-settings/execution.ts';
import { outputs, readme, variables } from './contents.ts';
import {
  currentConfiguration,
  currentRun,
  currentRunConfiguration,
  currentRunPart,
  currentStateVersion,
} from './current.ts';
import { effectiveTagBindings } from './effective-tag-bindings.ts';
import { type Include, type Included, type Including, idsOf } from './including.ts';
import { lockedBy } from './locked-by.ts';

/** The agent pools of the runs, including pools set by the project or the organization. */
const agentPool: Include = async (including) => {
  const ids = poolIds(including);
  const [first] = including.found;
  if (first === undefined || ids.length === 0) return { resources: [] };
  const { standing } = first;
  const { rows } = await rowsOf(agentPoolRowColumns)`
    select ${agentPoolColumns(standing)} from ws_agent_pools p
     where p.id = any((select ${ids}::text[])::text[])`.execute(including.parts.store.db);
  return { resources: rows.map((row) => agentPoolResource(standing, row)) };
};

const poolIds = ({ found, facts }: Including) =>
  idsOf(
    found.map(({ workspace, standing }) => {
      const known = facts.get(workspace.id);
      return known === undefined ? null : effectiveExecution(workspace, known, standing.organization).pool;
    }),
  );

/** The last finished assessments, as far as the caller may read the runs of their workspaces. */
const currentAssessment: Include = async ({ parts, found, facts }) => {
  const readable = found.filter(({ levels }) => levels.runs >= runLevels.read);
  const ids = idsOf(readable.map(({ workspace }) => facts.get(workspace.id)?.assessment_id ?? null));
  if (ids.length === 0) return { resources: [] };
  const rows = await assessmentsWhere(parts.store.db, sql`a.id = any((select ${ids}::text[])::text[])`, ids.length);
  return { resources: rows.map(assessmentOf) };
};

/** The projects of the workspaces. Callers who may read a workspace may read its project. */
const project: Include = async ({ parts, found }) => {
  const [first] = found;
  if (first === undefined) return { resources: [] };
  const { standing } = first;
  const ids = idsOf(found.map(({ workspace }) => workspace.project_id));
  const { rows } = await rowsOf({ ...grantedProjectColumns, ...projectCountColumns })`
    select p.*, ${projectGrantColumns(standing)}, ${countColumns} from ws_projects p ${projectGrants(standing)}
     where p.id = any((select ${ids}::text[])::text[])`.execute(parts.store.db);
  return {
    resources: rows.map((row) =>
      projectResource({ project: row, standing, levels: projectLevels(standing, row) }, row),
    ),
  };
};

const organization: Include = async ({ parts, found: [first] }) => ({
  resources: first === undefined ? [] : [await organizationDocument(parts.store, first.standing)],
});
const plan = currentRunPart('plan');
const apply = currentRunPart('apply');

/** The names that `include` may contain, and how the resources are read. */
const includes: Readonly<Record<string, Include>> = {
  agent_pool: agentPool,
  current_assessment_result: currentAssessment,
  current_configuration_version: currentConfiguration,
  'current_configuration_version.ingress_attributes': currentConfiguration,
  current_run: currentRun,
  'current_run.apply': apply,
  'current_run.configuration_version': currentRunConfiguration,
  'current_run.configuration_version.ingress_attributes': currentRunConfiguration,
  'current_run.plan': plan,
  current_state_version: currentStateVersion,
  'current_state_version.resources_processed': currentStateVersion,
  effective_tag_bindings: effectiveTagBindings,
  latest_run: currentRun,
  'latest_run.apply': apply,
  'latest_run.configuration_version': currentRunConfiguration,
  'latest_run.configuration_version.ingress_attributes': currentRunConfiguration,
  'latest_run.plan': plan,
  locked_by: lockedBy,
  organization,
  outputs,
  project,
  readme,
  vars: variables,
};

/** The related resources requested with `include`. Some have two names. @throws ApiError 400 for an unknown name */
export const includesOf = (query: URLSearchParams): readonly Include[] => [
  ...new Set([...includesIn(query, Object.keys(includes))].flatMap((name) => includes[name] ?? [])),
];

/** Reads all requested resources, without duplicates. */
export async function readIncludes(asked: readonly Include[], including: Including): Promise<Required<Included>> {
  const found = await Promise.all(asked.map((include) => include(including)));
  const resources = new Map<string, Resource>();
  for (const one of found.flatMap((included) => included.resources)) resources.set(`${one.type} ${one.id}`, one);
  const relationships: Map<string, Record<string, object>> = new Map();
  for (const [id, more] of found.flatMap((included) => [...(included.relationships ?? [])]))
    relationships.set(id, { ...relationships.get(id), ...more });
  return { resources: [...resources.values()], relationships };
}
