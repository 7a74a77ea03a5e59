/** Where the rows of a table are in the document. */
export interface Places {
  /** The place of each row that is shown, by its index. */
  readonly of: ReadonlyMap<number, number>;
  /** All places that there were, as they are in the document. */
  readonly order: readonly number[];
}

export const noPlaces: Places = { of: new Map(), order: [] };

/**
 * Rows that stay keep their place. A row that comes takes one that is free, and with it the elements of a row that went: a table that
 * scrolls makes no new ones, and moves none. When it may move them, they are in the order of the rows, as readers of the screen read them.
 */
export function placesAfter(before: Places, indexes: readonly number[], mayMove: boolean): Places {
  const of = new Map<number, number>();
  for (const index of indexes) {
    const place = before.of.get(index);
    if (place !== undefined) of.set(index, place);
  }
  const taken = new Set(of.values());
  let free = 0;
  for (const index of indexes) {
    if (of.has(index)) continue;
    while (taken.has(free)) free += 1;
    taken.add(free);
    of.set(index, free);
  }
  const order = mayMove ? indexes.map((index) => of.get(index) ?? 0) : [...new Set([...before.order, ...of.values()])];
  return { of, order };
}

/** The rows as they are in the document. */
export function inDocument<R extends { readonly index: number }>(
  rows: readonly R[],
  { of, order }: Places,
): readonly R[] {
  const byPlace = new Map(rows.map((row) => [of.get(row.index), row]));
  return order.flatMap((place) => byPlace.get(place) ?? []);
}
