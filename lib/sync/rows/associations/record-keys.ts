/** A map that hides no record: of several that want one key, the first gets it, the others get `#2`, `#3` … behind it. */
export function withOwnKeys(wanted: Iterable<readonly [string, object]>): Readonly<Record<string, object>> {
  const map: Record<string, object> = {};
  for (const [key, record] of wanted) map[freeKey(map, key)] = record;
  return map;
}

function freeKey(taken: object, wanted: string): string {
  let key = wanted;
  // Ends, since the map is finite.
  for (let count = 2; Object.hasOwn(taken, key); count += 1) key = `${wanted}#${count}`;
  return key;
}

/** A secret's key as the last part of a path: no slash of it is taken for one of a secret's name. */
export const asSegment = (subKey: string): string => subKey.replaceAll('%', '%25').replaceAll('/', '%2F');
