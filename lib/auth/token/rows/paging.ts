import type { Reply } from '../../../path/contract/reply.ts';
import { integer, text } from '../../../path/fields.ts';

/** Names that one statement reads, and that one reply has at most. */
const namesPerPage = 10_000;
const namesMax = 200_000;

/** Fields of listings that may be long. */
export const pageFields = {
  after: text().default('').meta({ description: 'Names behind this one' }),
  limit: integer()
    .default(0)
    .meta({ description: `At most so many names; 0: ${namesMax}` }),
};

export interface Page {
  readonly after: string;
  readonly limit: number;
}

/** Reads names page by page. A listing that has more of them says so. */
export async function listed(
  { after, limit }: Page,
  read: (after: string, limit: number) => Promise<readonly string[]>,
): Promise<Reply> {
  const most = limit > 0 ? Math.min(limit, namesMax) : namesMax;
  const keys: string[] = [];
  for (let from = after; keys.length < most; from = keys.at(-1) ?? from) {
    const size = Math.min(namesPerPage, most - keys.length);
    const page = await read(from, size);
    keys.push(...page);
    if (page.length < size) return { data: { keys } };
  }
  const isCut = limit <= 0 || limit > namesMax;
  return { data: { keys }, ...(isCut ? { warnings: [`There are more names: go on with after=${keys.at(-1)}`] } : {}) };
}
