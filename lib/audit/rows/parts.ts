import type { Clock } from '#core/clock.ts';
import type { Store } from '#store/store.ts';
import type { DeviceBounds } from '../devices/kinds.ts';
import type { DeviceCopy } from '../store/copy.ts';

export interface AuditRowParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly devices: DeviceCopy;
  readonly bounds: DeviceBounds;
}
