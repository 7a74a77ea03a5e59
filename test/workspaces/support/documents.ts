import type { Item } from './ground.ts';

/** Documents that tests send. */
export const documentOf = (
  type: string,
  attributes: object,
  relationships: Readonly<Record<string, unknown>> = {},
): object => ({
  data: {
    type,
    attributes,
    relationships: Object.fromEntries(Object.entries(relationships).map(([name, data]) => [name, { data }])),
  },
});

export const identifiers = (type: string, ...ids: readonly string[]): object => ({
  data: ids.map((id) => ({ type, id })),
});

/** The id in a to-one relationship of an item. */
export const relatedId = (item: Item | undefined, name: string): string =>
  (item?.relationships[name]?.data as { readonly id: string } | undefined)?.id ?? '';
