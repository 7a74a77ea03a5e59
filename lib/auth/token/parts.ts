import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import type { TokenTarget } from './mint.ts';

export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Makes a token where quotas leave room for it. Absent: there are no quotas. @throws AppError `too-many-requests` */
  readonly room?: { within<T>(path: string, make: (target: TokenTarget) => Promise<T>): Promise<T> };
}
