import type { Clock } from '../../core/clock.ts';
import { badRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { MountTable } from '../../path/row.ts';
import { canonicalType } from '../../path/vocabulary.ts';
import type { Queue } from '../../queue/contract.ts';
import type { Changed } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';

/** What the rows of `sys/sync` are handed. */
export interface SyncParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: Changed;
  readonly definitions: readonly DestinationDefinition[];
  readonly mounts: MountTable;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
  /** How long `set` and `remove` wait for their own operation, in milliseconds. */
  readonly waitMs: number;
  /** How long switching the sync off waits for operations under way, in milliseconds. */
  readonly drainMs: number;
}

/**
 * A type by its name in either vocabulary.
 * @throws AppError `bad-request` that names the types there are
 */
export function definitionOf(definitions: readonly DestinationDefinition[], type: string): DestinationDefinition {
  const found = definitions.find((definition) => definition.type === canonicalType(type));
  if (found !== undefined) return found;
  const known = definitions.map((definition) => definition.type).join(', ');
  throw badRequest(`unknown destination type ${JSON.stringify(type)}: type is one of ${known}`);
}
