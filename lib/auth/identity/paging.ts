import { z } from 'zod';
import { yieldToOthers } from '../../core/concurrency/yielding.ts';
import { WrittenJson } from '../../core/json/written.ts';
import type { Reply, ReplyContent } from '../../path/contract/reply.ts';
import { integer } from '../../path/fields.ts';
import { nameText } from './names.ts';

/** What one statement reads: its rows are read and written in one turn of the event loop. */
const perPage = 250;
/** What one reply has at most. */
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

/**
 * Reads a listing page by page, and writes the text of each page when it is read: a listing of tens of thousands of entries
 * leaves other requests their turns. One that has more says so.
 */
export async function listedWithInfo(
  { after, limit }: Page,
  read: (page: Page) => Promise<readonly Listed[]>,
): Promise<Reply> {
  const most = limit > 0 ? Math.min(limit, keysMax) : keysMax;
  const keys: string[] = [];
  const pieces: Buffer[] = [];
  let isWhole = false;
  for (let from = after; !isWhole && keys.length < most; from = keys.at(-1) ?? from) {
    const size = Math.min(perPage, most - keys.length);
    const page = await read({ after: from, limit: size });
    if (page.length > 0) pieces.push(Buffer.from(`${keys.length === 0 ? '' : ','}${page.map(memberText).join()}`));
    keys.push(...page.map(({ key }) => key));
    isWhole = page.length < size;
    if (!isWhole) await yieldToOthers();
  }
  const reply = listing(keys, pieces);
  if (isWhole || (limit > 0 && limit <= keysMax)) return reply;
  return { ...reply, warnings: [`There may be more: go on with after=${keys.at(-1)}`] };
}

const memberText = ({ key, info }: Listed): string => `${JSON.stringify(key)}:${JSON.stringify(info)}`;

function listing(keys: readonly string[], pieces: readonly Buffer[]): ReplyContent {
  const written = new WrittenJson([Buffer.from('{'), ...pieces, Buffer.from('}')]);
  return { data: { keys, key_info: written }, written };
}
