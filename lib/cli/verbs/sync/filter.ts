import type { Described, Given } from '../../verb.ts';

/** Options that select syncs. */
export const filterOptions: readonly Described[] = [
  ['--type <type>', 'only destinations of this type'],
  ['--name <name>', 'only destinations of this name'],
  ['--status <statuses>', 'only these statuses, with commas between them'],
  ['--kind <kinds>', 'only these kinds of error, with commas between them'],
  ['--mount <mount>', 'only secrets of this mount'],
  ['--prefix <prefix>', 'only secrets whose path below the mount starts with this'],
  ['--secret <path>', 'only the secret at this path below the mount'],
  ['--rule <name>', 'only what this standing rule made'],
  ['--drift <kinds>', 'only drift of these kinds (deleted, changed, tags, foreign, any), with commas between them'],
  ['--unconfirmed', 'only syncs with a write or removal whose end was not seen, and which may still be applied'],
];

const names = ['type', 'name', 'status', 'kind', 'mount', 'prefix', 'secret', 'rule', 'drift'] as const;

export type Filter = { readonly [name in (typeof names)[number]]?: string } & { readonly unconfirmed?: true };

/** The options that were given, as fields of a request. */
export function filterOf(given: Given): Filter {
  const fields = names.map((name) => [name, given.text(name)] as const);
  return {
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    ...(given.flag('unconfirmed') ? { unconfirmed: true } : {}),
  };
}
