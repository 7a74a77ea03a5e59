import { type Resource, timeText } from '../../../path/jsonapi/resource.ts';
import type { BindingRow, EffectiveRow } from './read.ts';

/** A binding as the thing has it itself (reference, workspaces 1.9). */
export const bindingResource = ({ id, key, value, created_at }: BindingRow): Resource => ({
  ...{ id, type: 'tag-bindings' },
  attributes: { key, value, 'created-at': timeText(created_at) },
});

/** A binding that holds for the thing. Of its own one there are no links: that is how clients tell it from an inherited one. */
export const effectiveBindingResource = ({ id, key, value, created_at, inherited_from }: EffectiveRow): Resource => ({
  ...{ id, type: 'effective-tag-bindings' },
  attributes: { key, value, 'created-at': timeText(created_at) },
  ...(inherited_from === null
    ? {}
    : {
        relationships: { 'inherited-from': { data: { id: inherited_from, type: 'projects' } } },
        links: { 'inherited-from': `/api/v2/projects/${inherited_from}` },
      }),
});
