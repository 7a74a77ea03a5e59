import type { Kysely, Transaction } from 'kysely';
import type { Barrier } from '../../store.ts';
import type { Database } from '../../tables.ts';
import { readRecord, type SealRecord } from '../record.ts';
import { notInitialised } from '../refusals.ts';
import type { KeyAttempts } from './contract.ts';
import { openRekey } from './rekey.ts';
import { openRootTokenAttempts } from './root-token.ts';

/** What attempts stand on. */
export interface AttemptParts {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  readonly now: () => Date;
  /** Called when the row of the seal has changed. */
  readonly changed: () => Promise<void>;
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** The row of the seal. @throws AppError `bad-request` when there is none */
  recordOf(db: Kysely<Database>): Promise<SealRecord>;
}

export function openKeyAttempts(given: Omit<AttemptParts, 'recordOf'>): KeyAttempts {
  const recordOf = async (db: Kysely<Database>) => {
    const record = await readRecord(db);
    if (record === undefined) throw notInitialised();
    return record;
  };
  const parts = { ...given, recordOf };
  return { rekey: openRekey(parts), rootToken: openRootTokenAttempts(parts) };
}
