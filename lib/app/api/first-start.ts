import type { Transaction } from 'kysely';
import { mintRootToken } from '#auth/token/issue/mint.ts';
import { AppError } from '#core/errors.ts';
import { engines } from '#engines/index.ts';
import { firstMounts } from '#engines/list.ts';
import { insertMount } from '#mounts/insert.ts';
import type { OpenStore } from '#store/open.ts';
import type { Prepare } from '#store/seal/contract.ts';
import type { Database } from '#store/tables.ts';

/** Creates the first content of a new store: its mounts and a root token. */
export const firstRoot =
  (store: OpenStore, when: 'production' | 'development', id?: string): Prepare<string> =>
  async (tx: Transaction<Database>) => {
    for (const mount of firstMounts(engines, when)) await insertMount(tx, mount);
    return mintRootToken({ db: tx, barrier: store.barrier }, id);
  };

/** Initialises an empty store with the automatic seal, and makes sure that this root token is valid. */
export async function prepareForDevelopment(
  store: OpenStore,
  rootToken: string | undefined,
): Promise<string | undefined> {
  if (store.seal.state() === 'uninitialised') {
    const rule = { shares: 1, threshold: 1 };
    return (await store.seal.init(rule, firstRoot(store, 'development', rootToken))).prepared;
  }
  if (rootToken !== undefined) await mintRootToken(store, rootToken).catch(ignoreExisting);
  return rootToken;
}

/** Ignores the failure to create a fixed root token that an earlier start has created. */
function ignoreExisting(error: unknown): void {
  if (error instanceof AppError && error.kind === 'already-exists') return;
  throw error;
}
