import { document } from '#path/jsonapi/input.ts';
import { createFields, updateFields } from '../workspace-settings/fields.ts';

const relationships = {
  project: 'projects',
  'agent-pool': 'agent-pools',
  'tag-bindings': ['tag-bindings'],
  tags: ['tags'],
} as const;

/** The document of a new workspace. */
export const createBody = document({ type: 'workspaces', attributes: createFields, relationships });
/** The document of a change. */
export const updateBody = document({ type: 'workspaces', attributes: updateFields, relationships });
