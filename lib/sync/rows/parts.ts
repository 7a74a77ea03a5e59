import type { Transaction } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { NetworkBounds } from '../../network/bounds.ts';
import type { Mount, MountTable } from '../../path/contract/mount.ts';
import type { Queue } from '../../queue/contract.ts';
import type { Changed } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import type { Marker } from '../marking/marker.ts';

/** What the rows of `sys/sync` are handed. */
export interface SyncParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: Changed;
  /** Marks what a change of a destination makes dirty. */
  readonly marker: Pick<Marker, 'begun'>;
  readonly definitions: readonly DestinationDefinition[];
  readonly mounts: MountTable;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
  /** Holds a secret until the end of a transaction; false: there is none. */
  readonly holdSecret: (tx: Transaction<Database>, mountId: string, secretName: string) => Promise<boolean>;
  /** The full path whose reader may sync a secret of the mount; undefined: secrets of this mount cannot be synced. */
  readonly readPath: (mount: Mount, secretName: string) => string | undefined;
  /** What mounts can be synced, for people, such as `KV v2`. */
  readonly syncedMounts: string;
  /** What destinations may open of the network at most. */
  readonly networkBounds: NetworkBounds;
  /** Folder of files that destinations may name; undefined: none. */
  readonly credentialsDir: string | undefined;
  /** How long `set` and `remove` wait for their own operation, in milliseconds. */
  readonly waitMs: number;
  /** How long switching the sync off waits for operations in flight, in milliseconds. */
  readonly drainMs: number;
}
