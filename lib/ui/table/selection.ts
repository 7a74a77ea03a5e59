import { useEffect, useState } from 'preact/hooks';

/** Which rows of a table are selected: some that were picked, or all that match, whatever their number. */
export interface Selection<R> {
  readonly picked: readonly R[];
  readonly isAll: boolean;
  has(row: R): boolean;
  /** A row that is taken from all leaves nothing selected. */
  toggle(row: R): void;
  toggleAll(): void;
  clear(): void;
}

interface Chosen<R> {
  readonly rows: ReadonlyMap<string, R>;
  readonly isAll: boolean;
}

/**
 * @param of what the rows are a list of: nothing is selected in another list
 * @param most rows that can be picked; further ones are not added, and `onFull` is called
 */
export function useSelection<R>(of: string, idOf: (row: R) => string, most: number, onFull: () => void): Selection<R> {
  const none: Chosen<R> = { rows: new Map(), isAll: false };
  const [chosen, setChosen] = useState(none);
  useEffect(() => setChosen(none), [of]);
  const { rows, isAll } = chosen;
  return {
    picked: [...rows.values()],
    isAll,
    has: (row) => isAll || rows.has(idOf(row)),
    toggle(row) {
      const next = new Map(rows);
      if (!next.delete(idOf(row)) && !isAll) next.set(idOf(row), row);
      if (next.size > most) onFull();
      else setChosen({ rows: next, isAll: false });
    },
    toggleAll: () => setChosen({ rows: new Map(), isAll: !isAll }),
    clear: () => setChosen(none),
  };
}
