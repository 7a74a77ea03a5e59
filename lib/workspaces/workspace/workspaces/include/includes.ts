import { ApiError } from '../../../../path/jsonapi/error.ts';
import type { Resource } from '../../../../path/jsonapi/resource.ts';
import { agentPool } from './agent-pool.ts';
import { currentRun } from './current-run.ts';
import { currentStateVersion } from './current-state-version.ts';
import { effectiveTagBindings } from './effective-tag-bindings.ts';
import type { Include, Included, Including } from './including.ts';
import { lockedBy } from './locked-by.ts';
import { organization } from './organization.ts';
import { outputs } from './outputs.ts';
import { project } from './project.ts';

/** What the service does not keep: the relationships of the document have nothing of it either. */
const nothing: Include = async () => ({ resources: [] });

/** What `include` may name, and how it is read (reference, workspaces 1.3). */
const includes: Readonly<Record<string, Include>> = {
  agent_pool: agentPool,
  current_assessment_result: nothing,
  current_configuration_version: nothing,
  'current_configuration_version.ingress_attributes': nothing,
  current_run: currentRun,
  'current_run.apply': currentRun,
  'current_run.configuration_version': currentRun,
  'current_run.configuration_version.ingress_attributes': currentRun,
  'current_run.plan': currentRun,
  current_state_version: currentStateVersion,
  effective_tag_bindings: effectiveTagBindings,
  latest_run: currentRun,
  'latest_run.apply': currentRun,
  'latest_run.configuration_version': currentRun,
  'latest_run.configuration_version.ingress_attributes': currentRun,
  'latest_run.plan': currentRun,
  locked_by: lockedBy,
  organization,
  outputs,
  project,
  readme: nothing,
  vars: nothing,
};

/**
 * What a request asks to be included. Clients write the names with `_` or `-`.
 *
 * @throws ApiError 400 for a name that there is not
 */
export function includesOf(query: URLSearchParams): readonly Include[] {
  const names = (query.get('include') ?? '').split(',').map((name) => name.trim().replaceAll('-', '_'));
  const asked = new Set(names.filter((name) => name !== ''));
  return [...new Set([...asked].map(includeOf))];
}

function includeOf(name: string): Include {
  const found = Object.hasOwn(includes, name) ? includes[name] : undefined;
  if (found !== undefined) return found;
  throw new ApiError(400, {
    title: 'Invalid include parameter',
    detail: `The include parameter may have ${Object.keys(includes).join(', ')}`,
  });
}

/** All of them together; a thing that two of them lead to is there once. */
export async function readIncludes(asked: readonly Include[], including: Including): Promise<Required<Included>> {
  const found = await Promise.all(asked.map((include) => include(including)));
  const resources = new Map<string, Resource>();
  for (const one of found.flatMap((included) => included.resources)) resources.set(`${one.type} ${one.id}`, one);
  const relationships: Map<string, Record<string, object>> = new Map();
  for (const [id, more] of found.flatMap((included) => [...(included.relationships ?? [])]))
    relationships.set(id, { ...relationships.get(id), ...more });
  return { resources: [...resources.values()], relationships };
}
