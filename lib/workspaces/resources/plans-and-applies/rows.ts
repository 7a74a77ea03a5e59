import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { readRun, runIdOf } from '../run-lifecycle/store.ts';
import { logRows, type NoteWaiting } from './logs.ts';
import { type Part, report, reportBody } from './report.ts';
import { type PartReader, partOf } from './view.ts';

/** Plans and applies of runs: clients read them, agents report on them. */
export const planAndApplyRows = (parts: WorkspaceParts, noteWaiting: NoteWaiting): readonly ApiRow[] => [
  ...logRows(parts, noteWaiting),
  ...rowsOf(parts, 'plan'),
  ...rowsOf(parts, 'apply'),
];

const paths = { plan: '/api/v2/plans/:plan_id', apply: '/api/v2/applies/:apply_id' } as const;
const types = { plan: 'plans', apply: 'applies' } as const;

function rowsOf(parts: WorkspaceParts, part: Part): readonly ApiRow[] {
  const { store } = parts;
  const document = async (runId: string, reader: PartReader) => ({
    data: partOf(parts, await readRun(store.db, runId), part, reader),
  });
  return [
    operation({
      method: 'GET',
      path: paths[part],
      summary: `Read the ${part} of a run`,
      needs: { workspace: 'read-runs' },
      replies: { 200: types[part] },
      run: ({ found: { levels }, parameters, origin, caller }) =>
        document(runIdIn(parameters), { origin, levels, caller }),
    }),
    operation({
      method: 'GET',
      path: `/api/v2/runs/:run_id/${part}`,
      summary: `Read the ${part} of a run by the id of the run`,
      needs: { workspace: 'read-runs' },
      replies: { 200: types[part] },
      run: ({ found: { levels }, parameters, origin, caller }) =>
        document(parameters.run_id, { origin, levels, caller }),
    }),
    operation({
      method: 'PATCH',
      path: paths[part],
      summary: `Report on the ${part} of a run`,
      needs: { workspace: 'apply' },
      body: reportBody,
      replies: { 200: types[part], 409: 'The run is not next in the queue or not in this part' },
      async run({ found: { workspace, levels }, parameters, body: { attributes }, origin, caller }) {
        const run = { id: runIdIn(parameters), workspace_id: workspace.id };
        await changeRun(parts, run, (tx, now) => report(tx, store, { run: now, part, caller, attributes }));
        return document(run.id, { origin, levels, caller });
      },
    }),
  ];
}

const runIdIn = (parameters: { readonly plan_id: string } | { readonly apply_id: string }): string =>
  runIdOf('plan_id' in parameters ? parameters.plan_id : parameters.apply_id);
