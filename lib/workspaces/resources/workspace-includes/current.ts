import { sql } from 'kysely';
import type { Resource } from '#path/jsonapi/resource.ts';
import { noLevels, stateLevels } from '../../access/levels.ts';
import { configurationVersionsWhere } from '../configuration-versions/store.ts';
import { includedConfigurations } from '../configuration-versions/view.ts';
import type { Part } from '../plans-and-applies/report.ts';
import { partOf } from '../plans-and-applies/view.ts';
import { type RunRow, runsWhere } from '../run-lifecycle/store.ts';
import { runOf } from '../run-lifecycle/view.ts';
import { stateVersionsWhere } from '../state-versions/store.ts';
import { stateVersionOf } from '../state-versions/view.ts';
import { type Include, type Including, idsOf } from './including.ts';

export const currentRun: Include = async (including) => ({
  resources: await runResources(including, currentRunIds(including)),
});

/** The current run and its plan or apply. */
export const currentRunPart =
  (part: Part): Include =>
  async (including) => {
    const { parts, origin, found } = including;
    const [caller] = found.map(({ standing }) => standing.caller);
    if (caller === undefined) return { resources: [] };
    const levels = levelsIn(including);
    const rows = await currentRuns(including);
    const resources = rows.flatMap((run) => {
      const reader = { origin, levels: levels(run.workspace_id), caller };
      return [runOf(parts, run, reader.levels), partOf(parts, run, part, reader)];
    });
    return { resources };
  };

/** The current run and its configuration version. */
export const currentRunConfiguration: Include = async (including) => {
  const { parts } = including;
  const levels = levelsIn(including);
  const rows = await currentRuns(including);
  const configurations = await readConfigurations(including, idsOf(rows.map((run) => run.configuration_version_id)));
  return { resources: [...rows.map((run) => runOf(parts, run, levels(run.workspace_id))), ...configurations] };
};

export const currentConfiguration: Include = async (including) => ({
  resources: await readConfigurations(
    including,
    idsOf(including.found.map(({ workspace }) => workspace.current_configuration_version_id)),
  ),
});

/** Runs of the workspaces as the caller sees them. */
export async function runResources(including: Including, ids: readonly string[]): Promise<readonly Resource[]> {
  const levels = levelsIn(including);
  const rows = await runsIn(including, ids);
  return rows.map((run) => runOf(including.parts, run, levels(run.workspace_id)));
}

const currentRuns = (including: Including): Promise<readonly RunRow[]> => runsIn(including, currentRunIds(including));

const currentRunIds = ({ found }: Including) => idsOf(found.map(({ workspace }) => workspace.current_run_id));

async function runsIn({ parts }: Including, ids: readonly string[]): Promise<readonly RunRow[]> {
  if (ids.length === 0) return [];
  return runsWhere(parts.store.db, sql`r.id = any((select ${ids}::text[])::text[])`, { size: ids.length, offset: 0 });
}

async function readConfigurations(including: Including, ids: readonly string[]) {
  const { parts } = including;
  if (ids.length === 0) return [];
  const condition = sql`c.id = any((select ${ids}::text[])::text[])`;
  const rows = await configurationVersionsWhere(parts.store.db, condition, { size: ids.length, offset: 0 });
  return includedConfigurations(rows);
}

/** The levels of the caller by workspace. */
function levelsIn({ found }: Including) {
  const byId = new Map(found.map(({ workspace, levels }) => [workspace.id, levels]));
  return (workspaceId: string) => byId.get(workspaceId) ?? noLevels;
}

/** The current state versions that the caller may read. */
export const currentStateVersion: Include = async ({ parts, origin, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels.read);
  const ids = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  if (ids.length === 0) return { resources: [] };
  const condition = sql`s.id = any((select ${ids}::text[])::text[])`;
  const rows = await stateVersionsWhere(parts.store.db, condition, { size: ids.length, offset: 0 });
  const readers = new Map(
    readable.map(({ workspace, levels, standing }) => [
      workspace.id,
      { origin, level: levels.state_versions, caller: standing.caller },
    ]),
  );
  return {
    resources: rows.flatMap((row) => {
      const reader = readers.get(row.workspace_id);
      return reader === undefined ? [] : [stateVersionOf(parts, row, reader)];
    }),
  };
};
