/** The filter of the destinations page, as its address and the server have it. */
const filterNames = ['find', 'type', 'state', 'sort'] as const;

export type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export const filterOf = (query: Readonly<Record<string, string>>): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

/** The address of the page with a filter. */
export function destinationsUrl(filter: Filter): string {
  const given = new URLSearchParams(filterNames.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])));
  return `/ui/destinations${given.size === 0 ? '' : `?${given}`}`;
}

/** Whether all destinations are shown, in whatever order. */
export const isEmpty = (filter: Filter): boolean => Object.keys(filter).every((name) => name === 'sort');

export const states = [
  ['failed', 'Some failed'],
  ['pending', 'Changes waiting'],
  ['paused', 'Paused'],
  ['unreachable', 'Unreachable'],
  ['purging', 'Being removed'],
  ['drifted', 'Drift found'],
  ['healthy', 'Healthy'],
] as const;

export const orders = [
  ['', 'Type and name'],
  ['failed', 'Most failed'],
  ['pending', 'Most pending'],
  ['total', 'Most records'],
] as const;
