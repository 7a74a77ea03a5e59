import { sql } from 'kysely';
import { readBy } from '#path/jsonapi/query.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { overridesPolicies } from '../../access/permissions.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { configurationVersionsWhere } from '../configuration-versions/store.ts';
import { includedConfigurations } from '../configuration-versions/view.ts';
import type { Part } from '../plans-and-applies/report.ts';
import { partOf } from '../plans-and-applies/view.ts';
import type { RunRow } from '../run-lifecycle/store.ts';
import { stageOf, stagesWhere } from '../task-results/view.ts';
import { usersOf } from '../users/of-organization.ts';
import { workspaceDocuments } from '../workspaces/document.ts';

/** Names of related resources, with `_` or `-`. Unknown names are ignored. */
export const include = readBy([{ name: 'include', description: 'Related resources to include' }], (query) => {
  const names = (query.get('include') ?? '').split(',').map((name) => name.trim().replaceAll('-', '_'));
  return new Set(names.filter((name) => name !== ''));
});

/**
 * The related resources requested with runs: one statement per kind, whatever the number of runs. Unknown names are ignored.
 * `found` are the workspaces of the runs, all in one organization.
 */
export async function includedWith(
  parts: WorkspaceParts,
  { asked, ...shown }: Shown & { readonly asked: ReadonlySet<string> },
): Promise<{ readonly included?: readonly Resource[] }> {
  if (asked.size === 0) return {};
  const reading = { parts, ...shown };
  const kinds = await Promise.all([
    asked.has('plan') ? partsOf(reading, 'plan') : [],
    asked.has('apply') ? partsOf(reading, 'apply') : [],
    asked.has('configuration_version') ? configurations(reading) : [],
    users(reading, asked),
    asked.has('workspace') ? workspaces(reading) : [],
    asked.has('task_stages') ? stages(reading) : [],
  ]);
  return { included: kinds.flat() };
}

/** Runs of a document, and the address at which the client knows this service. */
export interface Shown {
  readonly origin: string;
  readonly runs: readonly RunRow[];
  readonly found: readonly FoundWorkspace[];
}

interface Reading extends Shown {
  readonly parts: WorkspaceParts;
}

function partsOf({ parts, origin, runs, found }: Reading, part: Part): readonly Resource[] {
  const [caller] = found.map(({ standing }) => standing.caller);
  if (caller === undefined) return [];
  const levels = new Map(found.map((one) => [one.workspace.id, one.levels]));
  return runs.flatMap((run) => {
    const known = levels.get(run.workspace_id);
    return known === undefined ? [] : [partOf(parts, run, part, { origin, levels: known, caller })];
  });
}

const idsOf = (ids: readonly (string | null)[]): readonly string[] => [
  ...new Set(ids.flatMap((id) => (id === null ? [] : [id]))),
];

async function configurations({ parts, runs }: Reading): Promise<readonly Resource[]> {
  const ids = idsOf(runs.map((run) => run.configuration_version_id));
  if (ids.length === 0) return [];
  const page = { size: ids.length, offset: 0 };
  const rows = await configurationVersionsWhere(parts.store.db, sql`c.id = any(${ids}::text[])`, page);
  return includedConfigurations(rows);
}

async function users({ parts, runs, found }: Reading, asked: ReadonlySet<string>): Promise<readonly Resource[]> {
  const ids = idsOf(
    runs.flatMap((run) => [
      asked.has('created_by') && run.created_by_kind === 'user' ? run.created_by : null,
      asked.has('confirmed_by') && run.confirmed_by_kind === 'user' ? run.confirmed_by : null,
    ]),
  );
  const [first] = found;
  if (ids.length === 0 || first === undefined) return [];
  const { workspace, standing } = first;
  return usersOf(parts.store, ids, { caller: standing.caller, organizationId: workspace.organization_id });
}

async function stages({ parts, runs, found }: Reading): Promise<readonly Resource[]> {
  const rights = new Map(found.map((one) => [one.workspace.id, overridesPolicies(one)]));
  const mayOverride = new Map(runs.map((run) => [run.id, rights.get(run.workspace_id) === true]));
  const rows = await stagesWhere(parts.store.db, sql`s.run_id = any(${[...mayOverride.keys()]}::text[])`);
  return rows.map((row) => stageOf(row, mayOverride.get(row.run_id) === true));
}

/** Documents of workspaces without related resources of their own. */
async function workspaces({ parts, origin, runs, found }: Reading): Promise<readonly Resource[]> {
  const ids = new Set(runs.map((run) => run.workspace_id));
  const wanted = found.filter(({ workspace }) => ids.has(workspace.id));
  const { data } = await workspaceDocuments(parts, wanted, { asked: [], origin });
  return data;
}
