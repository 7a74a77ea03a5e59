import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import { strictPolicy } from '#network/policy.ts';
import type { Row } from '#path/contract/row.ts';
import type { Store } from '#store/store.ts';
import { openAuditor } from './auditor.ts';
import type { Auditor } from './contract.ts';
import type { QueueLoad } from './devices/queue.ts';
import { type Entry, recorder } from './record.ts';
import { auditRows } from './rows/index.ts';
import { openCopy } from './store/copy.ts';

export interface AuditParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The widest network access that devices may get. */
  readonly networkBounds: NetworkBounds;
  /** Files of devices must be below this folder; undefined when they may be anywhere. */
  readonly filesBelow: string | undefined;
  /** Called for each line that was given to a device. */
  seen(entry: Entry): void;
}

/** The audit log of a process. */
export interface Audit extends Auditor {
  /** `sys/audit`, `sys/audit-hash` and `sys/config/auditing`. */
  readonly rows: readonly Row[];
  /** The content of the queues of the open devices, with the type of the device. */
  load(): readonly (QueueLoad & { readonly type: string })[];
  /** Opens files again with their next line, after a log rotation has moved them. */
  reopen(): void;
  /** Writes the waiting lines first, within their time limit. */
  close(): Promise<void>;
}

export function openAudit({ store, clock, log, networkBounds, filesBelow, seen }: AuditParts): Audit {
  // Callers who may enable a device may reach all that the operator allows, and nothing else.
  const bounds = { policy: { ...strictPolicy, disabled: true, bounds: networkBounds }, filesBelow };
  const devices = openCopy(store, bounds);
  const auditor = openAuditor(devices, recorder(log, seen), clock);
  return {
    get idle() {
      return auditor.idle;
    },
    begin: auditor.begin,
    refused: auditor.refused,
    rows: auditRows({ store, clock, devices, bounds }),
    load: () => devices.open.map(({ record: { type }, queue: { load } }) => ({ type, ...load })),
    reopen() {
      for (const { queue } of devices.open) queue.reopen();
    },
    close: () => devices.close(),
  };
}
