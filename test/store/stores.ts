import { randomBytes } from 'node:crypto';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { patience } from '../support/measures/patience.ts';
import { testDatabase } from '../support/services.ts';

/** Options of a test store: limits that no test reaches, and a refresh that only the test calls. */
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

/** A store on a new database, initialised and unsealed. The caller closes it. */
export async function testStore(changes: Partial<StoreOptions> = {}): Promise<OpenStore> {
  const seal = { key: new Secret(randomBytes(32).toString('hex')) };
  const store = await openStore(storeOptions(await testDatabase(), { seal, ...changes }));
  await store.seal.init({ shares: 0, threshold: 0 }, async () => undefined);
  return store;
}
