import type { Vocabulary } from '../../../path/row.ts';
import { canonicalPath } from '../../../path/vocabulary.ts';
import { type Headers, header } from '../../wire/exchange.ts';

/** Headers have a canonical name and the one that existing clients send; both are read, the canonical one first. */
const headerNames = {
  token: ['x-service-token', 'x-vault-token'],
  namespace: ['x-service-namespace', 'x-vault-namespace'],
  wrapTtl: ['x-service-wrap-ttl', 'x-vault-wrap-ttl'],
} as const;

const aliasPrefix = 'x-vault-';

/** The header's value and the name it came under. */
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
export function vocabularyOf(headers: Headers, path: string): Vocabulary {
  for (const name in headers) if (name.startsWith(aliasPrefix)) return 'alias';
  return canonicalPath(path) === path ? 'canonical' : 'alias';
}
