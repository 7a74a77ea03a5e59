import { badRequest } from '../../../../path/jsonapi/error.ts';
import type { TaggedFilter } from './tagged.ts';

/** What a list is narrowed by (reference, workspaces 1.1). Empty texts and lists narrow nothing. */
export interface ListQuery {
  readonly name: string;
  readonly wildcardName: string;
  readonly tags: readonly string[];
  readonly excludedTags: readonly string[];
  /** Of these one is enough. */
  readonly tagUnion: readonly string[];
  readonly tagged: readonly TaggedFilter[];
  readonly projectId: string;
  readonly runStatuses: readonly string[];
}

const valuesMax = 100;
const taggedMax = 32;
const charactersMax = 512;

/** @throws ApiError 400 for more than a statement shall have */
export function listQueryOf(query: URLSearchParams): ListQuery {
  return {
    name: textOf(query, 'search[name]'),
    wildcardName: textOf(query, 'search[wildcard-name]'),
    tags: namesOf(query, 'search[tags]'),
    excludedTags: namesOf(query, 'search[exclude-tags]'),
    tagUnion: namesOf(query, 'filter[tag-union]'),
    tagged: taggedOf(query),
    projectId: textOf(query, 'filter[project][id]'),
    runStatuses: namesOf(query, 'filter[current-run][status]'),
  };
}

/** Whether it asks for less than all that the caller may read. */
export const isNarrowing = (query: ListQuery): boolean => Object.values(query).some((one) => one.length > 0);

function textOf(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? '';
  if (text.length > charactersMax) throw badRequest(`${name} may have at most ${charactersMax} characters`);
  return text;
}

/** Of a list with commas, each once. */
function namesOf(query: URLSearchParams, name: string): readonly string[] {
  const names = (query.get(name) ?? '').split(',').map((one) => one.trim());
  const wanted = [...new Set(names.filter((one) => one !== ''))];
  if (wanted.length > valuesMax) throw badRequest(`${name} may have at most ${valuesMax} entries`);
  return wanted;
}

/** `filter[tagged][0][key]`, `filter[tagged][0][value]` and so on; which numbers they have does not matter. */
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
