import { organizationUrl } from '../address.ts';

/** The filter of a list of workspaces, as the address has it. */
const filterNames = ['find', 'tag', 'project', 'status'] as const;

export type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export const filterOf = (query: Readonly<Record<string, string>>): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

export const isEmpty = (filter: Filter): boolean => Object.keys(filter).length === 0;

export function listUrl(organization: string, filter: Filter): string {
  const search = new URLSearchParams(filter as Record<string, string>);
  return `${organizationUrl(organization)}${search.size === 0 ? '' : `?${search}`}`;
}

/** The query of a filter. A tag `key=value` is a pair, any other a flat tag. */
export function queryOf({ find, tag, project, status }: Filter): Readonly<Record<string, string>> {
  const at = tag?.indexOf('=') ?? -1;
  const tagged =
    tag === undefined
      ? {}
      : at < 1
        ? { 'search[tags]': tag }
        : { 'filter[tagged][0][key]': tag.slice(0, at), 'filter[tagged][0][value]': tag.slice(at + 1) };
  return {
    ...(find === undefined ? {} : { 'search[name]': find }),
    ...tagged,
    ...(project === undefined ? {} : { 'filter[project][id]': project }),
    ...(status === undefined ? {} : { 'filter[current-run][status]': status }),
  };
}
