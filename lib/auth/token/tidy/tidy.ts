import { type Log, silentLog } from '../../../core/log.ts';
import type { Store } from '../../../store/store.ts';
import type { TokenParts } from '../parts.ts';
import { reapAll } from '../revoke/reaper.ts';
import { claimTidy, type TidyClaim } from './claim.ts';
import { tidyPage } from './page.ts';

const pagesMax = 10_000_000;
const pagesPerLine = 100;

/** Begins to tidy the tokens of a namespace in the background; false: a run is under way already. */
export async function startTidy({ store, reaper, log = silentLog }: TokenParts, namespaceId: string): Promise<boolean> {
  const claim = await claimTidy(store, namespaceId);
  if (claim === undefined) return false;
  const work = (ended: () => boolean) => tidy({ store, log, claim, namespaceId }, ended);
  if (reaper === undefined) await work(() => false);
  else reaper.background(work);
  return true;
}

interface Run {
  readonly store: Store;
  readonly log: Log;
  readonly claim: TidyClaim;
  readonly namespaceId: string;
}

/** Page by page, so that the memory is bounded whatever the number of tokens. Never fails. */
async function tidy({ store, log, claim, namespaceId }: Run, ended: () => boolean): Promise<void> {
  const sums = { looked: 0, orphaned: 0, marked: 0, deleted: 0 };
  try {
    let after: Buffer | null = Buffer.alloc(0);
    for (let pages = 1; after !== null && pages <= pagesMax && !ended(); pages += 1) {
      const page = await tidyPage(store, namespaceId, after);
      sums.looked += page.looked;
      sums.orphaned += page.orphaned;
      sums.marked += page.marked;
      if (page.marked > 0) sums.deleted += await reapAll({ store, log, ended });
      after = (await claim.extend()) ? page.last : null;
      if (pages % pagesPerLine === 0) log.info(sums, 'tokens are being tidied');
    }
    log.info(sums, ended() ? 'tidying of tokens was cut off' : 'tokens have been tidied');
    await claim.end();
  } catch (error) {
    log.warn({ ...sums, error: error instanceof Error ? error.name : 'unknown' }, 'tidying of tokens has failed');
  }
}
