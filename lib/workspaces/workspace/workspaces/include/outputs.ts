import { toMany } from '../../../../path/jsonapi/resource.ts';
import { stateLevels } from '../../../access/levels.ts';
import { type OutputRow, outputsOfVersions, outputValueOf } from '../../../states/state-versions/outputs.ts';
import { type Include, type Including, idsOf } from './including.ts';

/** Of the outputs that a document includes, over all its workspaces; more are not shown. */
const outputsMax = 5_000;

/** The outputs of the current states of workspaces whose outputs the caller may read; sensitive ones without their values. */
export const outputs: Include = async ({ parts, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels['read-outputs']);
  const ids = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  const rows = ids.length === 0 ? [] : (await outputsOfVersions(parts.store, ids)).slice(0, outputsMax);
  const byVersion = Map.groupBy(rows, (row) => row.state_version_id);
  return {
    resources: rows.map((row) => viewOf(parts, row)),
    relationships: new Map(
      readable.map(({ workspace: { id, current_state_version_id: version } }) => {
        const own = (byVersion.get(version ?? '') ?? []).map((row) => row.id);
        return [id, { outputs: toMany(type, own) }] as const;
      }),
    ),
  };
};

const type = 'workspace-outputs';

const viewOf = ({ store }: Including['parts'], row: OutputRow) => ({
  ...{ id: row.id, type },
  attributes: {
    ...{ name: row.name, sensitive: row.sensitive, 'output-type': row.type },
    value: row.sensitive ? null : outputValueOf(store, row),
  },
});
