import { expect, test } from 'vitest';
import { KeyringBarrier } from '#store/encryption/barrier.ts';
import { defaultRotation, newKeyring, withEncryptions } from '#store/encryption/keyring.ts';
import { openStore } from '#store/open.ts';
import { HeldKeyring } from '#store/seal/held/keyring.ts';
import { insertRecord, sealKeyring } from '#store/seal/record.ts';
import { newMaterial } from '#store/seal/start/material.ts';
import { ending, testDatabase } from '#test/support/services.ts';
import { heldClock } from '../../clocks.ts';
import { storeOptions } from '../../stores.ts';

const { operationsMax } = defaultRotation;

/** A keyring whose key has been used this many times. */
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

test('a key that has sealed its maximum number of values is rotated automatically', async () => {
  const { barrier, held } = await heldAfter(operationsMax);
  barrier.seal('value', 'x');
  await held.storeCounts(1);
  expect(held.status()).toMatchObject({ term: 2, encryptions: 0 });
});

test('a key below the maximum stays, and the count is stored once', async () => {
  const { barrier, held } = await heldAfter(operationsMax - 10);
  barrier.seal('value', 'x');
  await held.storeCounts(1);
  await held.storeCounts(1);
  expect(held.status()).toMatchObject({ term: 1, encryptions: operationsMax - 9 });
});

test('a small count is not written', async () => {
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
