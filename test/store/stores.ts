import { randomBytes } from 'node:crypto';
import { systemClock } from '../../lib/core/clock.ts';
import { silentLog } from '../../lib/core/log.ts';
import { Secret } from '../../lib/core/secret.ts';
import { type OpenStore, openStore, type StoreOptions } from '../../lib/store/open.ts';
import { patience } from '../support/patience.ts';
import { testDatabase } from '../support/services.ts';

/** What a test's store is opened with: limits that nothing meets, and a refresh that a test calls by hand. */
export function storeOptions(databaseUrl: string, changes: Partial<StoreOptions> = {}): StoreOptions {
  return {
    databaseUrl,
    poolSize: 5,
    statementTimeoutMs: patience.conditionMs,
    connectTimeoutMs: patience.conditionMs,
    seal: 'shamir',
    log: silentLog,
    clock: systemClock,
    refreshMs: 3_600_000,
    ...changes,
  };
}

/** A store on a database of its own, initialised and unsealed. The caller closes it. */
export async function testStore(changes: Partial<StoreOptions> = {}): Promise<OpenStore> {
  const seal = { key: new Secret(randomBytes(32).toString('hex')) };
  const store = await openStore(storeOptions(await testDatabase(), { seal, ...changes }));
  await store.seal.init({ shares: 0, threshold: 0 }, async () => undefined);
  return store;
}
