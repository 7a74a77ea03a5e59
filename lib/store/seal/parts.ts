import type { Kysely } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { KeyringBarrier } from '../encryption/barrier.ts';
import type { Database } from '../tables.ts';
import type { Lender, RootKeySource } from './keys/root-key-source.ts';
import type { ConfiguredKeys } from './migration/match.ts';

export interface SealParts extends ConfiguredKeys {
  readonly db: Kysely<Database>;
  readonly barrier: KeyringBarrier;
  /** Other sources that open the root key without an operator. */
  readonly lenders: readonly RootKeySource[];
  /** The process that lends the root key to this one; undefined when it does not borrow. */
  readonly borrowsFrom: Lender | undefined;
  readonly log: Log;
  readonly clock: Clock;
}
