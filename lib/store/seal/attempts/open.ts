import type { Kysely } from 'kysely';
import type { Database } from '../../tables.ts';
import { readRecord } from '../record.ts';
import { notInitialised } from '../refusals.ts';
import type { KeyAttempts } from './contract.ts';
import type { AttemptParts } from './parts.ts';
import { recoveryQuorum, unsealQuorum } from './quorum.ts';
import { openRekey } from './rekey.ts';
import { openRootTokenAttempts } from './root-token.ts';

export function openKeyAttempts(given: Omit<AttemptParts, 'recordOf'>): KeyAttempts {
  const recordOf = async (db: Kysely<Database>) => {
    const record = await readRecord(db);
    if (record === undefined) throw notInitialised();
    return record;
  };
  const parts = { ...given, recordOf };
  return {
    rekey: openRekey(parts, unsealQuorum),
    recoveryRekey: openRekey(parts, recoveryQuorum(parts.barrier)),
    rootToken: openRootTokenAttempts(parts),
  };
}
