import type { Got } from '../../flow/bad-input/exchange.ts';

/** A value that is asked for in many requests: so many at a time. */
export const lanes = 8;

/** What a row answers to a name with a value, or with no name at all. */
export type Ask = (name?: string, value?: string) => Promise<Got>;

/**
 * Which names a row reads: those to which it answers otherwise than to none, for one of some values at least. It is worth sending these
 * all that is wrong; of the others a few values do.
 */
export async function namesRead(
  names: readonly string[],
  values: readonly string[],
  ask: Ask,
): Promise<readonly string[]> {
  // The first one may have changed what the others find, such as a removal.
  await ask();
  const plain = gist(await ask());
  const read = new Set<string>();
  const pairs = names.flatMap((name) => values.map((value) => ({ name, value })));
  await inLanes(pairs, async ({ name, value }) => {
    if (gist(await ask(name, value)) !== plain) read.add(name);
  });
  return names.filter((name) => read.has(name));
}

/** Does something with each of many, some at a time. */
export async function inLanes<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]();
  const lane = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Of an answer what does not follow from the words of the question: documents of changes have new names in them, links repeat queries. */
const gist = ({ status, text }: Got): string =>
  status >= 200 && status < 300 && !text.includes('"pagination"')
    ? String(status)
    : status + text.replaceAll(/\?[^"]*/g, '');
