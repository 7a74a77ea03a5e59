import type { Verb } from '../contract/request.ts';

/** Gives each operation of one document an id of its own. */
export type NameOperation = (verb: Verb, path: string) => string;

/**
 * Ids such as `ReadSecretDataPath`, of the verb and the words of the path; a second one of the same words gets a number. A
 * `context` is put behind each, so that programs generated from several documents do not clash.
 */
export function operationNames(context = ''): NameOperation {
  const counts = new Map<string, number>();
  const suffix = context === '' ? '' : `_${context}`;
  return (verb, path) => {
    const name = capitalised(verb) + words(path).map(capitalised).join('');
    const key = name.toLowerCase();
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${name}${count === 1 ? '' : `_${count}`}${suffix}`;
  };
}

const words = (path: string): readonly string[] => [...(path.match(/[A-Za-z0-9]+/g) ?? [])];

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
