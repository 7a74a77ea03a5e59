/** The filter of the records page, as its address has it. */
export const filterNames = ['type', 'name', 'status', 'kind', 'mount', 'prefix'] as const;

export type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export function filterOf(query: Readonly<Record<string, string>>): Filter {
  return Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

/** The address of the page with a filter, and with an open record. */
export function recordsUrl(filter: Filter, record?: string): string {
  const search = new URLSearchParams(filter as Record<string, string>);
  if (record !== undefined) search.set('record', record);
  return `/ui/records${search.size === 0 ? '' : `?${search}`}`;
}

export const isEmpty = (filter: Filter): boolean => Object.keys(filter).length === 0;
