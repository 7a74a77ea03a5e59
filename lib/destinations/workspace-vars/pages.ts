// Beyond the usual files: lists come in pages, and what others remove between two of them shifts the rest.
import { DestinationFailure } from '../contract.ts';
import type { Page, VariableRecord } from './record.ts';

/** Of one list. */
const pagesMax = 200;
/** Readings of a list that changes while it is read. */
const readingsMax = 3;

/**
 * All entries of a list. One that changed between two pages is read anew: an entry that slipped through would be taken for gone.
 * @param fetchPage numbers begin with 1
 * @throws DestinationFailure unavailable, when it never stands still; quota, when it has too many pages
 */
export async function allPages(fetchPage: (number: number) => Promise<Page>): Promise<readonly VariableRecord[]> {
  for (let readings = 0; readings < readingsMax; readings += 1) {
    const records = await readOnce(fetchPage);
    if (records !== undefined) return records;
  }
  throw new DestinationFailure('unavailable', 'the list of variables changes all the time');
}

/** Undefined: it has changed on the way. */
async function readOnce(fetchPage: (number: number) => Promise<Page>): Promise<readonly VariableRecord[] | undefined> {
  const records: VariableRecord[] = [];
  const totals = new Set<number | undefined>();
  let next: number | undefined = 1;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page: Page = await fetchPage(next);
    records.push(...page.records);
    totals.add(page.total);
    next = page.next;
    if (next === undefined) return totals.size === 1 && haveOwnIds(records) ? records : undefined;
  }
  throw new DestinationFailure('quota', `there are more than ${pagesMax} pages of variables`);
}

const haveOwnIds = (records: readonly VariableRecord[]): boolean =>
  new Set(records.map(({ id }) => id)).size === records.length;
