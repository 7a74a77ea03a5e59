import { sql } from 'kysely';
import type { Resource } from '../../../../path/jsonapi/resource.ts';
import { nothing } from '../../../access/levels.ts';
import { configurationVersionsWhere } from '../../../runs/configuration-versions/store.ts';
import { configurationVersionOf } from '../../../runs/configuration-versions/view.ts';
import type { Part } from '../../../runs/runs/report/report.ts';
import { partOf } from '../../../runs/runs/report/view.ts';
import { type RunRow, runsWhere } from '../../../runs/runs/store.ts';
import { runOf } from '../../../runs/runs/view.ts';
import { type Include, type Including, idsOf } from './including.ts';

export const currentRun: Include = async (including) => ({
  resources: await runResources(including, currentRunIds(including)),
});

/** The plan or the apply of the current run, beside the run. */
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

/** The configuration of the current run, beside the run. */
export const currentRunConfiguration: Include = async (including) => {
  const { parts } = including;
  const levels = levelsIn(including);
  const rows = await currentRuns(including);
  const configurations = await includedConfigurations(
    including,
    idsOf(rows.map((run) => run.configuration_version_id)),
  );
  return { resources: [...rows.map((run) => runOf(parts, run, levels(run.workspace_id))), ...configurations] };
};

export const currentConfiguration: Include = async (including) => ({
  resources: await includedConfigurations(
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

async function includedConfigurations(including: Including, ids: readonly string[]) {
  const { parts } = including;
  if (ids.length === 0) return [];
  const condition = sql`c.id = any((select ${ids}::text[])::text[])`;
  const rows = await configurationVersionsWhere(parts.store.db, condition, { size: ids.length, offset: 0 });
  return rows.map((row) => configurationVersionOf(row));
}

/** What the caller may do in a workspace, by its id. */
function levelsIn({ found }: Including) {
  const byId = new Map(found.map(({ workspace, levels }) => [workspace.id, levels]));
  return (workspaceId: string) => byId.get(workspaceId) ?? nothing;
}
