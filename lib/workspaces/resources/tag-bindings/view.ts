import { type Resource, timeText } from '#path/jsonapi/resource.ts';
import type { BindingRow, EffectiveRow } from './read.ts';

/** The document of an own binding. */
export const bindingResource = ({ id, key, value, created_at }: BindingRow): Resource => ({
  id,
  type: 'tag-bindings',
  attributes: { key, value, 'created-at': timeText(created_at) },
});

/** The document of an effective binding. Own bindings have no links, which is how clients tell them from inherited ones. */
export const effectiveBindingResource = ({ id, key, value, created_at, inherited_from }: EffectiveRow): Resource => ({
  id,
  type: 'effective-tag-bindings',
  attributes: { key, value, 'created-at': timeText(created_at) },
  ...(inherited_from === null
    ? {}
    : {
        relationships: { 'inherited-from': { data: { id: inherited_from, type: 'projects' } } },
        links: { 'inherited-from': `/api/v2/projects/${inherited_from}` },
      }),
});
