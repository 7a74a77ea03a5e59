import { stateLevels, variableLevels } from '../../access/levels.ts';
import { readmeIdOf, readReadmes } from '../configuration-versions/readme.ts';
import { type OutputRow, outputsOfVersions, outputValueOf } from '../state-versions/outputs.ts';
import { listVariablesOf } from '../variables/store.ts';
import { variableOf } from '../variables/view.ts';
import { type Include, type Including, idsOf, includedMax } from './including.ts';

/** Outputs of the current states that the caller may read; sensitive values are null. */
export const outputs: Include = async ({ parts, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels['read-outputs']);
  const ids = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  if (ids.length === 0) return { resources: [] };
  const rows = await outputsOfVersions(parts.store, ids, includedMax);
  return { resources: rows.map((row) => viewOf(parts, row)) };
};

const viewOf = ({ store }: Including['parts'], row: OutputRow) => ({
  id: row.id,
  type: 'workspace-outputs',
  attributes: {
    name: row.name,
    sensitive: row.sensitive,
    'output-type': row.type,
    value: row.sensitive ? null : outputValueOf(store, row),
  },
});

/** The README files of the configurations. */
export const readme: Include = async ({ parts, found }) => {
  const ids = idsOf(found.map(({ workspace }) => workspace.current_configuration_version_id));
  if (ids.length === 0) return { resources: [] };
  const texts = await readReadmes(parts.store, ids);
  const resources = [...texts].map(([id, markdown]) => ({
    id: readmeIdOf(id),
    type: 'workspace-readme',
    attributes: { 'raw-markdown': markdown },
  }));
  return { resources };
};

/** Variables of the workspaces that the caller may read, without those of variable sets; sensitive values are null. */
export const variables: Include = async ({ parts, found }) => {
  const ids = found
    .filter(({ levels }) => levels.variables >= variableLevels.read)
    .map(({ workspace }) => workspace.id);
  if (ids.length === 0) return { resources: [] };
  const rows = await listVariablesOf(parts.store, ids, includedMax);
  return { resources: rows.map((row) => variableOf(parts.store, row)) };
};
