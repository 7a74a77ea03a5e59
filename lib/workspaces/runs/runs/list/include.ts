import { sql } from 'kysely';
import type { Resource } from '../../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../../path/jsonapi/row.ts';
import type { FoundWorkspace } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { usersOf } from '../../../people/teams/included.ts';
import { workspaceDocuments } from '../../../workspace/workspaces/document.ts';
import { configurationVersionsWhere } from '../../configuration-versions/store.ts';
import { configurationVersionOf } from '../../configuration-versions/view.ts';
import type { Part } from '../report/report.ts';
import { partOf } from '../report/view.ts';
import type { RunRow } from '../store.ts';

/**
 * What a request wants to see beside runs: a statement for each kind, whatever the number of runs. Names that runs have no
 * relationship for are ignored. `found`: the workspaces of the runs, all of one organization.
 */
export async function includedWith(
  parts: WorkspaceParts,
  call: ApiCall,
  runs: readonly RunRow[],
  found: readonly FoundWorkspace[],
): Promise<{ readonly included?: readonly Resource[] }> {
  const names = (call.query.get('include') ?? '').split(',').map((name) => name.trim().replaceAll('-', '_'));
  const asked = new Set(names.filter((name) => name !== ''));
  if (asked.size === 0) return {};
  const reading = { parts, call, runs, found };
  const kinds = await Promise.all([
    asked.has('plan') ? partsOf(reading, 'plan') : [],
    asked.has('apply') ? partsOf(reading, 'apply') : [],
    asked.has('configuration_version') ? configurations(reading) : [],
    users(reading, asked),
    asked.has('workspace') ? workspaces(reading) : [],
  ]);
  return { included: kinds.flat() };
}

interface Reading {
  readonly parts: WorkspaceParts;
  readonly call: ApiCall;
  readonly runs: readonly RunRow[];
  readonly found: readonly FoundWorkspace[];
}

function partsOf({ parts, call, runs, found }: Reading, part: Part): readonly Resource[] {
  const levels = new Map(found.map((one) => [one.workspace.id, one.levels]));
  return runs.flatMap((run) => {
    const known = levels.get(run.workspace_id);
    return known === undefined
      ? []
      : [partOf(parts, run, part, { origin: call.origin, levels: known, caller: call.caller })];
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
  return rows.map((row) => configurationVersionOf(row));
}

async function users({ parts, call, runs, found }: Reading, asked: ReadonlySet<string>): Promise<readonly Resource[]> {
  const ids = idsOf(
    runs.flatMap((run) => [
      asked.has('created_by') && run.created_by_kind === 'user' ? run.created_by : null,
      asked.has('confirmed_by') && run.confirmed_by_kind === 'user' ? run.confirmed_by : null,
    ]),
  );
  const organizationId = found[0]?.workspace.organization_id;
  if (ids.length === 0 || organizationId === undefined) return [];
  return usersOf(parts.store, ids, { caller: call.caller, organizationId });
}

/** The documents alone: what is included beside runs includes nothing itself. */
async function workspaces({ parts, call, runs, found }: Reading): Promise<readonly Resource[]> {
  const ids = new Set(runs.map((run) => run.workspace_id));
  const wanted = found.filter(({ workspace }) => ids.has(workspace.id));
  const { data } = await workspaceDocuments(parts, wanted, { origin: call.origin, query: new URLSearchParams() });
  return data;
}
