import type { Kysely } from 'kysely';
import type { KeyringBarrier } from '../../encryption/barrier.ts';
import type { Database } from '../../tables.ts';
import type { Prepare } from '../contract.ts';
import { insertRecord, readRecord, type SealRecord } from '../record.ts';
import { alreadyInitialised } from '../refusals.ts';
import type { SealMaterial } from './material.ts';

/** Stores the new seal together with what `prepare` makes while the barrier is open; leaves the barrier open. */
export async function storeMaterial<T>(
  db: Kysely<Database>,
  barrier: KeyringBarrier,
  material: SealMaterial,
  prepare: Prepare<T>,
): Promise<{ readonly record: SealRecord; readonly value: T }> {
  let prepared: { readonly record: SealRecord; readonly value: T } | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      // A concurrent process waits here until the first one commits, and then finds its row.
      if (!(await insertRecord(tx, material.record))) throw alreadyInitialised();
      barrier.load(material.keyring);
      const value = await prepare(tx);
      prepared = { record: (await readRecord(tx)) ?? material.record, value };
    });
  } catch (error) {
    if (prepared === undefined || !(await wasStored(db, material))) {
      barrier.unload();
      throw error;
    }
  }
  if (prepared === undefined) throw new Error('the transaction ended without its work');
  return prepared;
}

/** Whether the row was committed although the reply to COMMIT was lost; these keys are then the only ones that open it. */
async function wasStored(db: Kysely<Database>, material: SealMaterial): Promise<boolean> {
  const record = await readRecord(db).catch(() => undefined);
  return record?.cluster_id === material.record.cluster_id;
}
