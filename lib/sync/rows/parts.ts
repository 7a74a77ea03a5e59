import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import type { Mount, MountTable } from '#path/contract/mount.ts';
import type { Asks, Queue } from '#queue/contract.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import type { HoldSecrets } from '../batches/associate.ts';
import type { Marker } from '../marking/marker.ts';
import type { RulePorts } from '../rules/evaluate.ts';

/** What the rows of `sys/sync` depend on. */
export interface SyncParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly asks: Pick<Asks, 'ask'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: EnqueueDirty;
  /** Marks the associations that a change of a destination makes dirty. */
  readonly marker: Pick<Marker, 'begun'>;
  readonly definitions: readonly DestinationDefinition[];
  readonly mounts: MountTable;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
  /** The names of secrets below a prefix that have a current version, in order. */
  readonly secretsBelow: (mountId: string, prefix: string, after: string, limit: number) => Promise<readonly string[]>;
  /** Locks secrets until the end of a transaction and returns those that exist. */
  readonly holdSecrets: HoldSecrets;
  /** What the metadata of secrets says. */
  readonly describeSecrets: RulePorts['describeSecrets'];
  readonly describeBelow: RulePorts['describeBelow'];
  /** The full path that a caller must be allowed to read to sync the secret; undefined when the mount cannot be synced. */
  readonly readPath: (mount: Mount, secretName: string) => string | undefined;
  /** Which mounts can be synced, as error texts name them, such as `KV v2`. */
  readonly syncedMounts: string;
  /** The widest network access that destinations may have. */
  readonly networkBounds: NetworkBounds;
  /** The folder of the files that destinations may name; undefined when they may name none. */
  readonly credentialsDir: string | undefined;
  /** How long `set` and `remove` wait for their own operation, in milliseconds. */
  readonly waitMs: number;
  /** Longest time that a request may wait for something new, in milliseconds, so that it is answered before it is cut off. */
  readonly pollMsMax: number;
  /** How long disabling the sync waits for operations in flight, in milliseconds. */
  readonly drainMs: number;
}
