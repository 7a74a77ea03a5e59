/**
 * Runs `work` over the items, at most `widthMax` at once; the results are in the order of the items. When one fails, no
 * further one begins, and the call rejects with that failure once those that had begun have ended.
 */
export async function eachOf<Item, Result>(
  items: Iterable<Item>,
  widthMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const source = numbered(items);
  const lane = async () => {
    // Leaving the loop by a failure ends the generator, and with it the loops of the others.
    for (const [index, item] of source) results[index] = await work(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, widthMax) }, lane));
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
  return results;
}

function* numbered<Item>(items: Iterable<Item>): Generator<readonly [number, Item]> {
  let index = 0;
  for (const item of items) yield [index++, item];
}
