import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { continueMarkings, type MarkingPace, type MarkingParts } from './continue.ts';
import { markPage } from './page.ts';

/** Marks associations in the background of a process; the sweep continues for processes that have died. */
export interface Marker {
  /**
   * Call after the commit of `beginMarkings`, with its result. Marks the first page of the first destinations, so that a small
   * change is queued before its request returns, and the rest in the background. Returns warnings; never fails.
   */
  begun(destinations: readonly string[]): Promise<readonly string[]>;
  /** Stops after the current page. */
  close(): Promise<void>;
}

/** Destinations whose first page is marked before the request returns. */
const firstPagesMax = 4;
/** The marker rests as long as it works, which leaves half of its time to the requests of the process. */
const pace: MarkingPace = { restShare: 1, looksMax: 40 };

export function openMarker(parts: MarkingParts & { readonly log: Log }): Marker {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;

  const failed = (cause: unknown) =>
    parts.log.warn(outageOf(cause) ?? { error: String(cause) }, 'associations are left for the sweep to mark');
  const pass = async (): Promise<void> => {
    do {
      again = false;
      await continueMarkings(parts, stop.signal, pace).catch(failed);
    } while (again && !stop.signal.aborted);
    running = undefined;
  };
  /** Returns whether there is more to mark. */
  const first = async (destination: string, warnings: Set<string>): Promise<boolean> => {
    const page = await markPage(parts.store, destination);
    for (const warning of page === undefined ? [] : await parts.changed(page.dirty)) warnings.add(warning);
    return page?.state !== 'through';
  };
  return {
    async begun(destinations) {
      const warnings = new Set<string>();
      let more = destinations.length > firstPagesMax;
      try {
        for (const one of destinations.slice(0, firstPagesMax)) more = (await first(one, warnings)) || more;
      } catch (cause) {
        failed(cause);
      }
      if (more && !stop.signal.aborted) {
        again = true;
        running ??= pass();
      }
      return [...warnings];
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
