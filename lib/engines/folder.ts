import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { pageFieldsOf } from '#path/listing.ts';
import { folderNames, type IndexedPaths } from '#store/postgres/statements/folder-names.ts';
import type { Store } from '#store/store.ts';

/** A reply with more names would be too large to use. */
const namesMax = 1_000_000;

/** Fields of the listing of a folder. */
export const pageFields = pageFieldsOf(
  'Return only names after this one',
  `Maximum number of names; 0 for all, up to ${namesMax}`,
);

/**
 * Lists the names in a folder, as `folderNames` does.
 *
 * @throws AppError `bad-request` when there are more names than a reply can hold and no limit is given
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
  throw badField(
    'limit',
    `there are more than ${namesMax} names in this folder: list it in parts, with limit and after`,
  );
}
