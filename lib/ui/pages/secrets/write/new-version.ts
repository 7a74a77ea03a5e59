import type { Value } from '#client/wire/json.ts';

/** A key with what was typed for it. */
export interface Pair {
  readonly key: string;
  readonly value: string;
  /** The key is in the current version, whose value stays while nothing is typed. */
  readonly isStored: boolean;
}

/** What is wrong with the form; empty when nothing is. */
export function problemOf(
  path: string,
  pairs: readonly Pair[],
  known: readonly string[],
  places: readonly string[],
): string {
  if (path === '' || path.endsWith('/')) return 'The path has to end with the name of the secret.';
  const keys = pairs.map(({ key }) => key);
  if (keys.some((key) => key === '')) return 'Each value needs a key.';
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) return `The key ${twice} is there twice.`;
  const isSame = known.length === keys.length && pairs.every(({ isStored, value }) => isStored && value === '');
  if (isSame && known.length > 0 && places.length === 0) return 'Nothing is changed.';
  if (keys.length === 0 && known.length === 0) return 'A secret needs a key.';
  return '';
}

/** What a change of single keys sends: the typed values, and null for keys that were taken out. */
export function patchOf(pairs: readonly Pair[], known: readonly string[]): { readonly [key: string]: Value } {
  const kept = new Set(pairs.map(({ key }) => key));
  return Object.fromEntries([
    ...pairs.flatMap(({ key, value, isStored }) => (isStored && value === '' ? [] : [[key, value] as const])),
    ...known.filter((key) => !kept.has(key)).map((key) => [key, null] as const),
  ]);
}
