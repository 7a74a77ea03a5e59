import type { Kysely, Transaction } from 'kysely';
import type { Barrier } from '../../store.ts';
import type { Database } from '../../tables.ts';
import type { SealRecord } from '../record.ts';

/** What attempts depend on. */
export interface AttemptParts {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  /** Called when the row of the seal has changed. */
  readonly changed: () => Promise<void>;
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** The row of the seal. @throws AppError `bad-request` when the store is not initialised */
  recordOf(db: Kysely<Database>): Promise<SealRecord>;
}
