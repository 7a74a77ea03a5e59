import { badRequest } from '#core/errors.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { canonicalPath, type TypeNames } from '#path/vocabulary.ts';
import { type Headers, header } from '../../wire/exchange.ts';

/** Where a request goes. */
export interface Address {
  /** Decoded path below `/v1/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export const prefix = '/v1/';

const plain = /^[\x20-\x7e]*$/;
/** Letters, marks, numbers, punctuation, symbols and the ASCII space, but no other space. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** @throws AppError `bad-request` for a path that cannot be decoded */
export function readAddress(url: string): Address {
  const mark = url.indexOf('?');
  const path = decoded(mark < 0 ? url : url.slice(0, mark)).slice(prefix.length);
  return { path, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) };
}

/** The path of a URL; empty when the URL cannot be decoded. */
export function pathIfSound(url: string): string {
  try {
    return readAddress(url).path;
  } catch {
    return '';
  }
}

/** The URL of a path of this API. */
export const urlOf = (path: string, query: URLSearchParams): string =>
  prefix + path.split('/').map(encodeURIComponent).join('/') + (query.size === 0 ? '' : `?${query}`);

/** The path without empty and `.` segments; undefined when it has none of them. */
export function cleaned(path: string): string | undefined {
  if (!path.includes('//') && !path.startsWith('/') && !/(^|\/)\.(\/|$)/.test(path)) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.join('/') + (path.endsWith('/') && segments.length > 0 ? '/' : '');
}

/** Segments of a path, including its namespaces; far more than any real installation uses. */
const segmentsMax = 512;

/** @throws AppError `bad-request` for a path with unprintable characters, with `..`, or with too many segments */
export function mustBeSound(path: string): void {
  if (path.length > segmentsMax && path.split('/', segmentsMax + 1).length > segmentsMax)
    throw badRequest(`a path may have at most ${segmentsMax} segments`);
  if (!plain.test(path) && !printable.test(path)) throw badRequest('path contains unprintable characters');
  if (path.includes('..') && path.split('/').includes('..')) throw badRequest('relative paths not supported');
}

function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw badRequest('path has an invalid percent-encoding', { cause });
  }
}

/** Each header has a canonical name, which takes precedence, and the name that existing clients send. */
const headerNames = {
  token: ['x-service-token', 'x-vault-token'],
  namespace: ['x-service-namespace', 'x-vault-namespace'],
  wrapTtl: ['x-service-wrap-ttl', 'x-vault-wrap-ttl'],
} as const;

const aliasPrefix = 'x-vault-';

/** The value of a header and the name under which it was sent. */
export function aliasedHeader(
  headers: Headers,
  which: keyof typeof headerNames,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of headerNames[which]) {
    const value = header(headers, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** A request that uses a name of the alias vocabulary is answered in it. */
export const vocabularyOf = (names: TypeNames, headers: Headers, path: string): Vocabulary =>
  canonicalPath(names, path) === path ? headerVocabulary(headers) : 'alias';

/** The vocabulary of a request whose path is unknown. */
export function headerVocabulary(headers: Headers): Vocabulary {
  for (const name in headers) if (name.startsWith(aliasPrefix)) return 'alias';
  return 'canonical';
}
