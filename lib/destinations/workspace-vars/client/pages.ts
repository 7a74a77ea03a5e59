// Beyond the usual files: lists come in pages, and a removal by others between two pages shifts the rest.
import { DestinationFailure } from '../../contract.ts';
import type { Page, VariableRecord } from '../fields/record.ts';

/** The most pages of one list. */
const pagesMax = 200;
/** Attempts at reading a list that changes while it is read. */
const readingsMax = 3;

/**
 * All entries of a list. A list that changed between two pages is read again: a missed entry would be taken for removed.
 * @param fetchPage numbers begin with 1
 * @throws DestinationFailure unavailable, when it keeps changing; quota, when it has too many pages
 */
export async function allPages(fetchPage: (number: number) => Promise<Page>): Promise<readonly VariableRecord[]> {
  for (let readings = 0; readings < readingsMax; readings += 1) {
    const records = await readOnce(fetchPage);
    if (records !== undefined) return records;
  }
  throw new DestinationFailure('unavailable', 'the list of variables keeps changing');
}

/** Resolves to undefined when the list changed between two pages. */
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
