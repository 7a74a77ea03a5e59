import type { Log } from '#core/log/log.ts';
import type { Accepted } from '#path/contract/reply.ts';
import type { Store } from '#store/store.ts';
import type { TokenParts } from '../parts.ts';
import { reapAll } from '../revoke/reaper.ts';
import { claimTidy, type TidyClaim } from './claim.ts';
import { tidyPage } from './page.ts';

const pagesMax = 10_000_000;
const pagesPerLine = 100;

/** Starts to tidy the tokens of a namespace in the background, unless a run is under way. */
export async function tidyTokens(parts: TokenParts, namespaceId: string): Promise<Accepted> {
  const started = await startTidy(parts, namespaceId);
  return { status: 202, warnings: [started ? startedText : 'Tidy operation already in progress.'] };
}

const startedText =
  "Tidy operation successfully started. Any information from the operation will be printed to the server's log.";

/** False when a run is under way. */
async function startTidy({ store, reaper, log }: TokenParts, namespaceId: string): Promise<boolean> {
  const claim = await claimTidy(store, namespaceId);
  if (claim === undefined) return false;
  reaper.background((ended) => tidy({ store, log, claim, namespaceId }, ended));
  return true;
}

interface Run {
  readonly store: Store;
  readonly log: Log;
  readonly claim: TidyClaim;
  readonly namespaceId: string;
}

/** Tidies page by page, so that memory is bounded. Never fails. */
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
      if (pages % pagesPerLine === 0) log.info(sums, 'tidying tokens');
    }
    log.info(sums, ended() ? 'tidying tokens was interrupted' : 'tidied tokens');
    await claim.end();
  } catch (error) {
    log.warn({ ...sums, error: error instanceof Error ? error.name : 'unknown' }, 'tidying tokens failed');
  }
}
