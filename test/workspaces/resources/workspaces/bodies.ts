import type { Answer } from '../../support/ground.ts';

/** A document about a workspace. */
export const workspaceBody = (attributes: object, relationships: object = {}) => ({
  data: { type: 'workspaces', attributes, relationships },
});

/** Tag bindings as a relationship. */
export const bindings = (values: Readonly<Record<string, string>>) => ({
  'tag-bindings': {
    data: Object.entries(values).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
  },
});

export const tags = (...names: readonly string[]) => ({
  tags: { data: names.map((name) => ({ type: 'tags', attributes: { name } })) },
});

export const project = (id: string) => ({ project: { data: { type: 'projects', id } } });

/** The names of the workspaces in a list, in order. */
export const namesIn = ({ items }: Answer): readonly unknown[] => items.map(({ attributes }) => attributes['name']);

/** The errors, as `pointer: detail`. */
export const problemsIn = ({ errors }: Answer): readonly string[] =>
  errors.map(({ detail = '', source }) => `${source?.pointer ?? ''}: ${detail}`);
