import type { Clock } from '../core/clock.ts';
import type { Changed } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';

/** What an engine is handed. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Told after the commit what a change made dirty. */
  readonly changed: Changed;
}

/** What the sync reads of an engine: the secret as it should be at the destinations now. */
export interface SecretSource {
  /** The newest version that is neither deleted nor destroyed; undefined if there is none, or no such secret or mount. */
  current(
    mountId: string,
    secretName: string,
  ): Promise<{ readonly version: number; readonly json: string } | undefined>;
}
