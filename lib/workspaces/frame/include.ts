import { ApiError } from '../../path/jsonapi/error.ts';

/**
 * What a request asks to be included, by the names of the API. Clients write the names with `_` or `-`.
 *
 * @throws ApiError 400 for a name that is not among those that there are
 */
export function askedIncludes<N extends string>(query: URLSearchParams, known: readonly N[]): ReadonlySet<N> {
  const names = (query.get('include') ?? '').split(',').map((name) => name.trim().replaceAll('-', '_'));
  return new Set(names.filter((name) => name !== '').map((name) => knownName(name, known)));
}

function knownName<N extends string>(name: string, known: readonly N[]): N {
  const found = known.find((one) => one === name);
  if (found !== undefined) return found;
  const detail = `The include parameter may have ${known.join(', ')}`;
  throw new ApiError(400, { title: 'Invalid include parameter', detail });
}
