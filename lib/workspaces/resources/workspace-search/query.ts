import { badRequest } from '#path/jsonapi/error.ts';
import type { TaggedFilter } from './tagged.ts';

/** The filters of a list. Empty strings and lists have no effect. */
export interface ListQuery {
  readonly name: string;
  readonly wildcardName: string;
  readonly tags: readonly string[];
  readonly excludedTags: readonly string[];
  /** Workspaces need at least one of these. */
  readonly anyTags: readonly string[];
  readonly tagged: readonly TaggedFilter[];
  readonly projectId: string;
  readonly runStatuses: readonly string[];
}

const valuesMax = 100;
const taggedMax = 32;
const charactersMax = 512;

/** The parameters of a list of workspaces that narrow it. */
export const searchParameters = [
  'search[name]',
  'search[wildcard-name]',
  'search[tags]',
  'search[exclude-tags]',
  'filter[tag-union]',
  'filter[tagged][0][key]',
  'filter[tagged][0][value]',
  'filter[project][id]',
  'filter[current-run][status]',
];

/** @throws ApiError 400 for too many or too long filters */
export function listQueryOf(query: URLSearchParams): ListQuery {
  const tagged = taggedOf(query);
  // Clients send the keys of requested bindings as tags too. The bindings are more specific.
  const keys = new Set(tagged.map(({ key }) => key.toLowerCase()));
  return {
    name: textOf(query, 'search[name]'),
    wildcardName: textOf(query, 'search[wildcard-name]'),
    tags: tagNamesOf(query, 'search[tags]').filter((name) => !keys.has(name)),
    excludedTags: tagNamesOf(query, 'search[exclude-tags]'),
    anyTags: tagNamesOf(query, 'filter[tag-union]'),
    tagged,
    projectId: textOf(query, 'filter[project][id]'),
    runStatuses: namesOf(query, 'filter[current-run][status]'),
  };
}

/** Whether any filter is set. */
export const isNarrowing = (query: ListQuery): boolean => Object.values(query).some((one) => one.length > 0);

function textOf(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? '';
  if (text.length > charactersMax) throw badRequest(`${name} may have at most ${charactersMax} characters`);
  return text;
}

/** The distinct entries of a comma-separated list. */
function namesOf(query: URLSearchParams, name: string): readonly string[] {
  const names = (query.get(name) ?? '').split(',').map((one) => one.trim());
  const wanted = [...new Set(names.filter((one) => one !== ''))];
  if (wanted.length > valuesMax) throw badRequest(`${name} may have at most ${valuesMax} entries`);
  return wanted;
}

/** Tags are stored in lower case. */
const tagNamesOf = (query: URLSearchParams, name: string): readonly string[] =>
  namesOf(query, name).map((one) => one.toLowerCase());

/** `filter[tagged][0][key]`, `filter[tagged][0][value]` and so on; the numbers are arbitrary. */
function taggedOf(query: URLSearchParams): readonly TaggedFilter[] {
  const filters = new Map<string, { key: string; value: string }>();
  for (const [name, value] of query) {
    const [, at, member] = /^filter\[tagged\]\[(\w{1,16})\]\[(key|value)\]$/.exec(name) ?? [];
    if (at === undefined || member === undefined) continue;
    filters.set(at, { ...(filters.get(at) ?? { key: '', value: '' }), [member]: value });
  }
  if (filters.size > taggedMax) throw badRequest(`filter[tagged] may have at most ${taggedMax} entries`);
  return [...filters.values()].filter(({ key }) => key !== '');
}
