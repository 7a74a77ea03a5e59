import { outageOf } from '../../core/log/outage.ts';
import type { Log } from '../../core/log.ts';
import { continueMarkings, type MarkingPace, type MarkingParts } from './continue.ts';
import { markPage } from './page.ts';

/** Marks associations in the background of a process; the sweep does it for processes that have died. */
export interface Marker {
  /**
   * Called after the commit of `beginMarkings` with what it has answered. Marks the first page of the first destinations, so that
   * a small change is queued when its request is answered, and the rest behind it. Answers warnings; never fails.
   */
  begun(destinations: readonly string[]): Promise<readonly string[]>;
  /** Ends after the page under way. */
  close(): Promise<void>;
}

/** Destinations whose first page a request waits for. */
const firstPagesMax = 4;
/** Half of its time the marker leaves to the requests of its process. */
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
  /** Answers whether there is more. */
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
