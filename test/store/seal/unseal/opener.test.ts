import { expect, test, vi } from 'vitest';
import { systemClock } from '#core/clock.ts';
import type { OpenStore, StoreOptions } from '#store/open.ts';
import { openStore } from '#store/open.ts';
import { newMaterial } from '#store/seal/start/material.ts';
import { RootKeyOpener } from '#store/seal/unseal/opener.ts';
import { patience } from '#test/support/measures/patience.ts';
import { ending, testDatabase } from '#test/support/services.ts';
import { heldClock } from '../../clocks.ts';
import { storeOptions } from '../../stores.ts';
import { type UnreliableKey, unreliableKey } from '../outer-key.ts';
import { rememberingLog } from '../remembering-log.ts';

const rule = { shares: 1, threshold: 1 };

async function initialised(changes: Partial<StoreOptions> = {}) {
  const key = await unreliableKey();
  const url = await testDatabase();
  const open = async (): Promise<OpenStore> => ending(await openStore(storeOptions(url, { seal: key, ...changes })));
  const store = await open();
  await store.seal.init(rule, async () => undefined);
  return { key, store, open };
}

async function openerOf(key: UnreliableKey) {
  const clock = heldClock();
  const { log, lines } = rememberingLog();
  const opener = new RootKeyOpener({ sources: [key], log, clock, random: () => 1 });
  const { record } = await newMaterial(rule, key, clock.now());
  return { clock, lines, opener, record };
}

test('a process that starts while its key is unavailable stays sealed, and unseals itself when the key is back', async () => {
  const { key, open } = await initialised({ refreshMs: 20 });
  key.state = 'away';
  const waiting = await open();
  expect(waiting.seal.status()).toMatchObject({ state: 'sealed', type: 'static' });
  key.state = 'there';
  await vi.waitFor(() => expect(waiting.seal.state()).toBe('ready'), { timeout: patience.conditionMs });
});

test('an unsealed process stays unsealed while its key is unavailable', async () => {
  const { key, store } = await initialised();
  key.state = 'away';
  await store.seal.refresh();
  expect(store.seal.state()).toBe('ready');
  expect(key.asked).toBe(0);
});

test('a hanging key delays neither a refresh nor the end of a process', async () => {
  const { key, store } = await initialised();
  const url = await testDatabase();
  key.state = 'hangs';
  const other = await openStore(storeOptions(url, { seal: key }));
  // As another process would do it.
  const row = await store.db.selectFrom('seal').selectAll().executeTakeFirstOrThrow();
  await other.db.insertInto('seal').values(row).execute();
  await other.seal.refresh();
  expect(other.seal.state()).toBe('sealed');
  await other.seal.refresh();
  expect(key.asked).toBe(1);
  await other.close();
});

test('an unavailable key is tried again after pauses that grow up to a bound, and is logged once per outage', async () => {
  const key = await unreliableKey();
  const { clock, lines, opener, record } = await openerOf(key);
  key.state = 'away';
  const pauses: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const before = key.asked;
    let waitedMs = 0;
    for (; key.asked === before; waitedMs += 500) {
      await opener.open(record);
      clock.pass(500);
    }
    pauses.push(waitedMs);
  }
  expect(pauses).toEqual([500, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(lines.filter((line) => line.includes('sealed until the key of the seal answers'))).toHaveLength(1);
  expect(lines[0]).toContain('the key service is away');
  key.state = 'there';
  clock.pass(30_000);
  expect((await opener.open(record))?.rootKey).toHaveLength(32);
  expect(lines.at(-1)).toContain('answers again');
});

test('a wrong key is not tried again until the root key has been rewrapped', async () => {
  const [key, other] = [await unreliableKey(), await unreliableKey()];
  const { lines, opener, record } = await openerOf(key);
  const foreign = (await newMaterial(rule, other, systemClock.now())).record;
  expect(await opener.open(foreign)).toBeUndefined();
  expect(await opener.open(foreign)).toBeUndefined();
  expect(key.asked).toBe(1);
  expect(opener.hasRefused(foreign)).toBe(true);
  expect(lines.filter((line) => line.includes('stays sealed'))).toHaveLength(1);
  expect((await opener.open(record))?.rootKey).toHaveLength(32);
});
