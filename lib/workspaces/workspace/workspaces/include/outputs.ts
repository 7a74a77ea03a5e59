import { type Resource, toMany } from '../../../../path/jsonapi/resource.ts';
import { stateLevels } from '../../../access/levels.ts';
import { type OutputRow, outputsOfVersions, outputValueOf } from '../../../states/state-versions/outputs.ts';
import { type Include, type Including, idsOf } from './including.ts';

const type = 'workspace-outputs';

/** The outputs of the current states, of those workspaces whose outputs the caller may read. */
export const outputs: Include = async ({ parts, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels['read-outputs']);
  const versions = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  if (versions.length === 0) return { resources: [] };
  const rows = await outputsOfVersions(parts.store, versions);
  const byVersion = Map.groupBy(rows, ({ state_version_id }) => state_version_id);
  const relationships = readable.map(({ workspace }) => {
    const own = byVersion.get(workspace.current_state_version_id ?? '') ?? [];
    return [
      workspace.id,
      {
        outputs: toMany(
          type,
          own.map(({ id }) => id),
        ),
      },
    ] as const;
  });
  return { resources: rows.map((row) => resourceOf(parts, row)), relationships: new Map(relationships) };
};

const resourceOf = ({ store }: Including['parts'], row: OutputRow): Resource => ({
  ...{ id: row.id, type },
  attributes: {
    ...{ name: row.name, sensitive: row.sensitive, 'output-type': row.type },
    value: row.sensitive ? null : outputValueOf(store, row),
  },
});
