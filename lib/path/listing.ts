import { yieldToOthers } from '#core/concurrency/yielding.ts';
import { WrittenJson } from '#core/json/write.ts';
import type { Reply } from './contract/reply.ts';
import { integer, text } from './fields.ts';

/** The part of a long listing that a client requests: at most `limit` keys after `after`; 0 or less for as many as a reply can hold. */
export interface Page {
  readonly after: string;
  readonly limit: number;
}

/** The maximum number of keys in a reply, and of keys that one statement reads. */
interface Sizes {
  readonly replyMax: number;
  readonly pageMax: number;
}

const names: Sizes = { replyMax: 200_000, pageMax: 10_000 };
/** Smaller, because the text of a page is built in one turn of the event loop. */
const entries: Sizes = { replyMax: 50_000, pageMax: 250 };

/**
 * The fields of every listing that has pages. A limit above what a reply holds is not refused: the reply has what it holds, and says how
 * to continue; 0 and negative limits mean all. `after` need not exist, so entries may be deleted while a client reads on.
 */
export const pageFieldsOf = (after: string, limit: string, afterType = text()) => ({
  after: afterType.default('').meta({ description: after }),
  limit: integer().default(0).meta({ description: limit }),
});

/** Fields of listings of names. */
export const pageFields = pageFieldsOf(
  'Return only names after this one',
  `Maximum number of names; 0 for ${names.replyMax}`,
);

const keyCharactersMax = 512;

/** Fields of listings whose keys come with details. */
export const entryPageFields = pageFieldsOf(
  'Return only keys after this one',
  `Maximum number of keys; 0 for ${entries.replyMax}`,
  text(keyCharactersMax),
);

/** Lists names, which `read` returns in order. */
export async function listNames(page: Page, read: (page: Page) => Promise<readonly string[]>): Promise<Reply> {
  const keys: string[] = [];
  const isWhole = await readPages(page, names, async (next) => {
    const found = await read(next);
    keys.push(...found);
    return found;
  });
  return { data: { keys }, ...more(isWhole, keys) };
}

/** A key of a listing with its details. */
export interface ListedEntry {
  readonly key: string;
  readonly info: object;
}

/**
 * Lists keys with details, which `read` returns in the order of the keys. The text of each page is built once the page has been
 * read, and other requests get a turn between two pages, however long the listing is.
 */
export async function listEntries(page: Page, read: (page: Page) => Promise<readonly ListedEntry[]>): Promise<Reply> {
  const keys: string[] = [];
  const pieces: Buffer[] = [];
  const isWhole = await readPages(page, entries, async (next) => {
    if (keys.length > 0) await yieldToOthers();
    const found = await read(next);
    if (found.length > 0) pieces.push(Buffer.from(`${keys.length === 0 ? '' : ','}${found.map(memberText).join()}`));
    const added = found.map(({ key }) => key);
    keys.push(...added);
    return added;
  });
  const written = new WrittenJson([Buffer.from('{'), ...pieces, Buffer.from('}')]);
  return { data: { keys, key_info: written }, written, ...more(isWhole, keys) };
}

const memberText = ({ key, info }: ListedEntry): string => `${JSON.stringify(key)}:${JSON.stringify(info)}`;

/** Returns whether everything requested has been read: the listing has no more keys, or the client set the limit. */
async function readPages(
  { after, limit }: Page,
  { replyMax, pageMax }: Sizes,
  read: (page: Page) => Promise<readonly string[]>,
): Promise<boolean> {
  const isLimited = limit > 0 && limit <= replyMax;
  const wanted = isLimited ? limit : replyMax;
  let from = after;
  for (let count = 0; count < wanted; ) {
    const size = Math.min(pageMax, wanted - count);
    const keys = await read({ after: from, limit: size });
    if (keys.length < size) return true;
    count += keys.length;
    from = keys.at(-1) ?? from;
  }
  return isLimited;
}

const more = (isWhole: boolean, keys: readonly string[]) =>
  isWhole ? {} : { warnings: [continueWith(keys.at(-1) ?? '')] };

/** The warning of a reply that does not hold all that was requested. */
export const continueWith = (after: string): string => `There may be more: continue with after=${after}`;
