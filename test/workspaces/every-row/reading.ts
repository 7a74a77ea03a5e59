import type { Reply } from '../../flow/bad-input/exchange.ts';

/** The number of concurrent requests. */
export const lanes = 8;

/** The answer of a row to names that all have one value, or to a request without any. */
export type Ask = (names: readonly string[], value: string) => Promise<Reply>;

/**
 * The names that a row reads: those that change its answer with at least one of the values. Only these names need all bad values; a few are
 * enough for the others. A row reads few of all names, so they are asked for together, and the halves of a group that changes the answer
 * again.
 */
export async function namesRead(
  names: readonly string[],
  values: readonly string[],
  ask: Ask,
): Promise<readonly string[]> {
  // The first request may have changed what the others find, for example by a removal.
  await ask([], '');
  const plain = gist(await ask([], ''));
  const among = async (group: readonly string[], value: string): Promise<readonly string[]> => {
    if (group.length === 0 || gist(await ask(group, value)) === plain) return [];
    if (group.length === 1) return group;
    const half = Math.ceil(group.length / 2);
    const found = await Promise.all([among(group.slice(0, half), value), among(group.slice(half), value)]);
    return found.flat();
  };
  const read = new Set((await Promise.all(values.map((value) => among(names, value)))).flat());
  return names.filter((name) => read.has(name));
}

/** Runs a function for each item, several at a time. */
export async function inLanes<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]();
  const lane = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** An answer without the parts that repeat the request, such as new names in documents and queries in links. */
const gist = ({ status, text }: Reply): string =>
  status >= 200 && status < 300 && !text.includes('"pagination"')
    ? String(status)
    : status + text.replaceAll(/\?[^"]*/g, '');
