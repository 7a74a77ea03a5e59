import type { Transaction } from 'kysely';
import type { Database } from '../../../store/tables.ts';

/**
 * A text for each second factor of which entities that are to become one have secrets on both sides: all of them, and none of
 * the secrets. There are no second factors yet, so nothing conflicts.
 */
export const mfaConflicts = async (
  _tx: Transaction<Database>,
  _from: readonly string[],
  _to: string,
): Promise<readonly string[]> => [];
