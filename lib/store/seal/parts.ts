import type { Kysely } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { KeyringBarrier } from '../encryption/barrier.ts';
import type { Database } from '../tables.ts';
import type { Lender, RootKeySource } from './keys/root-key-source.ts';
import type { ConfiguredKeys } from './migration/stand.ts';

export interface SealParts extends ConfiguredKeys {
  readonly db: Kysely<Database>;
  readonly barrier: KeyringBarrier;
  /** What else opens the root key without people. */
  readonly lenders: readonly RootKeySource[];
  /** Who lends the root key to this process; undefined: nobody. */
  readonly borrowsFrom: Lender | undefined;
  readonly log: Log;
  readonly clock: Clock;
}
