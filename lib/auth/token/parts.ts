import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';

export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
}
