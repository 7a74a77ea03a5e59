/**
 * Runs `work` on the items, at most `widthMax` at once, and returns the results in the order of the items. After a failure no
 * further work starts, and the call rejects with that failure when the running work has ended.
 */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  widthMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as Item);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const count = Math.min(Math.max(1, widthMax), items.length);
  const lanes = await Promise.allSettled(Array.from({ length: count }, lane));
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
  return results;
}
