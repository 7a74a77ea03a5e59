import { readmeIdOf, readReadmes } from '../../../runs/configuration-versions/readme.ts';
import { type Include, idsOf } from './including.ts';

/** The README files of the configurations. */
export const readme: Include = async ({ parts, found }) => {
  const ids = idsOf(found.map(({ workspace }) => workspace.current_configuration_version_id));
  if (ids.length === 0) return { resources: [] };
  const texts = await readReadmes(parts.store, ids);
  const resources = [...texts].map(([id, markdown]) => ({
    ...{ id: readmeIdOf(id), type: 'workspace-readme' },
    attributes: { 'raw-markdown': markdown },
  }));
  return { resources };
};
