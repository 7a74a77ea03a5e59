import { badRequest } from '../core/errors.ts';
import type { Reply } from '../path/contract/reply.ts';
import { integer, text } from '../path/fields.ts';
import { folderNames, type IndexedPaths } from '../store/postgres/folder-names.ts';
import type { Store } from '../store/store.ts';

/** More than this does not fit in a reply that anyone can use. */
const namesMax = 1_000_000;

/** Fields of the listing of a folder. */
export const pageFields = {
  after: text().default('').meta({ description: 'Names behind this one' }),
  limit: integer()
    .default(0)
    .meta({ description: `At most so many names; 0: all, of which there may be ${namesMax}` }),
};

/**
 * The names in a folder: see `folderNames`.
 *
 * @throws AppError `bad-request` for more names than a reply can have, unless a limit is asked for
 */
export async function listFolder(
  { db }: Pick<Store, 'db'>,
  paths: IndexedPaths,
  folder: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Reply> {
  if (limit > 0)
    return { data: { keys: await folderNames(db, paths, folder, { after, limit: Math.min(limit, namesMax) }) } };
  const keys = await folderNames(db, paths, folder, { after, limit: namesMax + 1 });
  if (keys.length <= namesMax) return { data: { keys } };
  throw badRequest(`there are more than ${namesMax} names in this folder: list it in parts, with limit and after`);
}
