import { z } from 'zod';
import type { Reply } from '../../path/contract/reply.ts';
import { integer } from '../../path/fields.ts';
import { nameText } from './names.ts';

/** What one statement reads, and what one reply has at most. */
const perPage = 5_000;
const keysMax = 50_000;

/** Fields of listings. */
export const pageFields = {
  after: nameText().default('').meta({ description: 'What comes behind this key' }),
  limit: integer()
    .pipe(z.int().min(0))
    .default(0)
    .meta({ description: `At most so many; 0: ${keysMax}` }),
};

export interface Page {
  readonly after: string;
  readonly limit: number;
}

/** An entry of a listing, sorted by key. */
export interface Listed {
  readonly key: string;
  readonly info: object;
}

/** Reads a listing page by page. One that has more says so. */
export async function listedWithInfo(
  { after, limit }: Page,
  read: (page: Page) => Promise<readonly Listed[]>,
): Promise<Reply> {
  const most = limit > 0 ? Math.min(limit, keysMax) : keysMax;
  const found: Listed[] = [];
  let isWhole = false;
  for (let from = after; !isWhole && found.length < most; from = found.at(-1)?.key ?? from) {
    const size = Math.min(perPage, most - found.length);
    const page = await read({ after: from, limit: size });
    found.push(...page);
    isWhole = page.length < size;
  }
  const keys = found.map(({ key }) => key);
  const data = { keys, key_info: Object.fromEntries(found.map(({ key, info }) => [key, info])) };
  if (isWhole || (limit > 0 && limit <= keysMax)) return { data };
  return { data, warnings: [`There may be more: go on with after=${keys.at(-1)}`] };
}
