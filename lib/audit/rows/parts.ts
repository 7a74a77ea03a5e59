import type { Clock } from '../../core/clock.ts';
import { badRequest } from '../../core/errors.ts';
import { rootNamespace } from '../../core/namespace.ts';
import type { RequestContext } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import type { DeviceBounds } from '../devices/kinds.ts';
import type { DeviceCopy } from '../store/copy.ts';

export interface AuditRowParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly devices: DeviceCopy;
  readonly bounds: DeviceBounds;
}

/** Devices record the requests of all namespaces. @throws AppError `bad-request` */
export function mustBeRoot({ namespace }: RequestContext): void {
  if (namespace.id !== rootNamespace.id) throw badRequest('operation only available in root namespace');
}
