import { notFound } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import { runLevels } from '../../../access/levels.ts';
import { mustHave } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { changeRun } from '../actions.ts';
import { findRun, readRun, runIdOf } from '../store.ts';
import { logRows } from './logs.ts';
import { type Part, report } from './report.ts';
import { partOf } from './view.ts';

/** Plans and applies of runs: clients read them, agents say what became of them. */
export const reportRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...logRows(parts),
  ...rowsOf(parts, 'plan', 'plans'),
  ...rowsOf(parts, 'apply', 'applies'),
];

const rowsOf = (parts: WorkspaceParts, part: Part, name: string): readonly ApiRow[] => [
  {
    method: 'GET',
    path: `/api/v2/${name}/:part_id`,
    summary: `The ${part} of a run`,
    run: (call) => show(parts, call, part, runIn(call, part)),
  },
  {
    method: 'GET',
    path: `/api/v2/runs/:run_id/${part}`,
    summary: `The ${part} of a run, by the run`,
    run: (call) => show(parts, call, part, call.parameters['run_id'] ?? ''),
  },
  {
    method: 'PATCH',
    path: `/api/v2/${name}/:part_id`,
    summary: `Says what became of the ${part} of a run`,
    async run(call) {
      const { run, levels } = await findRun(parts.store, call.caller, runIn(call, part), runLevels.read);
      mustHave(levels.runs >= runLevels.apply);
      await changeRun(parts, run, (tx, now) => report(tx, parts.store, { run: now, part, call }));
      const changed = await readRun(parts.store.db, run.id);
      return { data: partOf(parts, changed, part, { origin: call.origin, levels, caller: call.caller }) };
    },
  },
];

/** @throws ApiError 404 for the id of something else */
function runIn({ parameters }: ApiCall, part: Part): string {
  const id = parameters['part_id'] ?? '';
  if (!id.startsWith(`${part}-`)) throw notFound();
  return runIdOf(id);
}

async function show(parts: WorkspaceParts, call: ApiCall, part: Part, runId: string): Promise<ApiReply> {
  const { run, levels } = await findRun(parts.store, call.caller, runId, runLevels.read);
  return { data: partOf(parts, run, part, { origin: call.origin, levels, caller: call.caller }) };
}
