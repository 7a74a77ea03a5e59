import { stateLevels } from '../../../access/levels.ts';
import { type OutputRow, outputsOfVersions, outputValueOf } from '../../../states/state-versions/outputs.ts';
import { type Include, type Including, idsOf, includedMax } from './including.ts';

/** Outputs of the current states, where the caller may read them; sensitive values are null (reference, workspaces 1.3). */
export const outputs: Include = async ({ parts, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels['read-outputs']);
  const ids = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  if (ids.length === 0) return { resources: [] };
  const rows = await outputsOfVersions(parts.store, ids, includedMax);
  return { resources: rows.map((row) => viewOf(parts, row)) };
};

const viewOf = ({ store }: Including['parts'], row: OutputRow) => ({
  ...{ id: row.id, type: 'workspace-outputs' },
  attributes: {
    ...{ name: row.name, sensitive: row.sensitive, 'output-type': row.type },
    value: row.sensitive ? null : outputValueOf(store, row),
  },
});
