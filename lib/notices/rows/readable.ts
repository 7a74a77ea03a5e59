import type { RequestContext } from '#path/contract/request.ts';
import { mayReadAssociations } from '#sync/rows/rights/readable.ts';

interface About {
  /** The destination; null for what concerns none. */
  readonly type: string | null;
  readonly name: string | null;
}

/** Tells whether the caller may read something about a destination. Each destination is asked for once. */
export function readableFor(
  rights: Pick<RequestContext, 'mustBeAllowed' | 'caller'>,
): (about: About) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async ({ type, name }) => {
    if (type === null || name === null) return true;
    const key = `${type}/${name}`;
    const asked = known.get(key) ?? mayReadAssociations(rights, { type, name });
    known.set(key, asked);
    return asked;
  };
}

/** Rows of one statement, and statements of one page. */
const [chunkSize, chunksMax] = [500, 20];

/**
 * A page of what the caller may read: `read` returns rows after a position in their order. `last` is the position of the last row that
 * was looked at, which may be one that the caller may not read; undefined when there was none.
 */
export async function readablePage<R extends About>(
  mayRead: (about: About) => Promise<boolean>,
  limit: number,
  start: string,
  read: (after: string, limit: number) => Promise<readonly R[]>,
  positionOf: (row: R) => string,
): Promise<{ readonly shown: readonly R[]; readonly last: string | undefined; readonly isWhole: boolean }> {
  const shown: R[] = [];
  let last: string | undefined;
  for (let chunk = 0; chunk < chunksMax; chunk += 1) {
    const rows = await read(last ?? start, chunkSize);
    for (const row of rows) {
      if (shown.length === limit) return { shown, last, isWhole: false };
      if (await mayRead(row)) shown.push(row);
      last = positionOf(row);
    }
    if (rows.length < chunkSize) return { shown, last, isWhole: true };
  }
  return { shown, last, isWhole: false };
}
