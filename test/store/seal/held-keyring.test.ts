import { expect, test } from 'vitest';
import { KeyringBarrier } from '../../../lib/store/encryption/barrier.ts';
import { newKeyring, usualRotation, withEncryptions } from '../../../lib/store/encryption/keyring.ts';
import { openStore } from '../../../lib/store/open.ts';
import { HeldKeyring } from '../../../lib/store/seal/held-keyring.ts';
import { insertRecord, sealKeyring } from '../../../lib/store/seal/record.ts';
import { newMaterial } from '../../../lib/store/seal/start/material.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { heldClock } from '../clocks.ts';
import { storeOptions } from '../stores.ts';

const { operationsMax } = usualRotation;

/** A keyring whose key has been used so many times. */
async function heldAfter(encryptions: number) {
  const { db } = ending(await openStore(storeOptions(await testDatabase())));
  const clock = heldClock();
  const material = await newMaterial({ shares: 1, threshold: 1 }, undefined, clock.now());
  const keyring = withEncryptions(newKeyring(clock.now()), new Map([[1, encryptions]]));
  const sealed = sealKeyring(keyring, material.rootKey, material.record.cluster_id);
  const record = { ...material.record, keyring: sealed };
  await insertRecord(db, record);
  const barrier = new KeyringBarrier(clock);
  const held = new HeldKeyring(db, barrier, clock);
  held.hold(record, material.rootKey, keyring);
  return { barrier, held };
}

test('a key that has sealed as many values as it may is replaced by itself', async () => {
  const { barrier, held } = await heldAfter(operationsMax);
  barrier.seal('value', 'x');
  await held.storeCounts(1);
  expect(held.status()).toMatchObject({ term: 2, encryptions: 0 });
});

test('below that it stays, and the count is stored once', async () => {
  const { barrier, held } = await heldAfter(operationsMax - 10);
  barrier.seal('value', 'x');
  await held.storeCounts(1);
  await held.storeCounts(1);
  expect(held.status()).toMatchObject({ term: 1, encryptions: operationsMax - 9 });
});

test('few values are not worth a write', async () => {
  const { barrier, held } = await heldAfter(operationsMax);
  barrier.seal('value', 'x');
  await held.storeCounts();
  expect(held.status().term).toBe(1);
});

test('a keyring that was dropped while it is being changed does not come back', async () => {
  const { barrier, held } = await heldAfter(0);
  const rotating = held.rotate().catch(() => {});
  held.drop();
  await rotating;
  expect(held.held).toBe(false);
  expect(barrier.sealed).toBe(true);
});
