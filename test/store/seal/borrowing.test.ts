import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { newLoanKey } from '#store/seal/keys/loan.ts';
import type { Lender } from '#store/seal/keys/root-key-source.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { heldClock } from '../clocks.ts';
import { storeOptions } from '../stores.ts';
import { rememberingLog } from './remembering-log.ts';

/** Lends as the API does, without HTTP calls. `before` runs after the lender has decided. */
const lending = (
  from: OpenStore,
  keepMs = 3_600_000,
  before: () => Promise<unknown> = async () => undefined,
): Lender => ({
  opens: ({ type }) => type === 'shamir',
  keepMs,
  retryMsMax: 1,
  close() {},
  async openRootKey() {
    const key = await newLoanKey();
    const { wrapped, ...terms } = await from.seal.lend(key.publicKey).catch((cause: unknown) => {
      throw new AppError('unavailable', 'nothing is lent now', { cause });
    });
    await before();
    return key.open(wrapped, terms);
  },
});

/** A store that was unsealed with key shares, and a way to open others on the same database. */
async function unsealedStore() {
  const url = await testDatabase();
  const clock = heldClock();
  const open = async (changes: Partial<StoreOptions> = {}) =>
    ending(await openStore(storeOptions(url, { clock, ...changes })));
  const people = await open();
  const { shares } = await people.seal.init({ shares: 3, threshold: 2 }, async () => undefined);
  const unseal = async () => {
    for (const share of shares.slice(0, 2)) await people.seal.unseal(share.toString('hex'));
  };
  await unseal();
  return { people, open, unseal, clock };
}

/** Refreshes until the state is reached, since there is a pause between two requests to the lender. */
const becomes = (store: OpenStore, state: 'ready' | 'sealed', pass: () => void) =>
  eventually(async () => {
    pass();
    await store.seal.refresh();
    return store.seal.state() === state;
  });

describe('a process that borrows', () => {
  test('is unsealed when it starts, opens values of other processes, and follows their rotations', async () => {
    const { people, open, clock } = await unsealedStore();
    const borrower = await open({ borrowsFrom: lending(people) });
    expect(borrower.seal.state()).toBe('ready');
    expect(borrower.barrier.open(people.barrier.seal('value', 'x'), 'x').toString()).toBe('value');
    await people.seal.rotate();
    clock.pass(60_000);
    await borrower.seal.refresh();
    const sealed = people.barrier.seal('newer', 'x');
    expect(sealed.readUInt32BE()).toBe(2);
    expect(borrower.barrier.open(sealed, 'x').toString()).toBe('newer');
    await borrower.seal.rotate();
    await people.seal.refresh();
    expect(people.seal.keyStatus().term).toBe(3);
  });

  test('waits until operators unseal the lender, is sealed with the installation, and unseals itself again without a restart', async () => {
    const { people, open, unseal, clock } = await unsealedStore();
    people.seal.sealNow();
    const borrower = await open({ borrowsFrom: lending(people) });
    const pass = () => clock.pass(10);
    expect(borrower.seal.state()).toBe('sealed');
    for (let round = 0; round < 2; round += 1) {
      await unseal();
      await becomes(borrower, 'ready', pass);
      await people.seal.sealEverywhere();
      await borrower.seal.refresh();
      expect(borrower.seal.state()).toBe('sealed');
      expect(borrower.barrier.sealed).toBe(true);
    }
  });

  test('opens nothing when the installation was sealed after the loan was decided', async () => {
    const { people, open, unseal, clock } = await unsealedStore();
    let sealings = 0;
    const seals = async () => {
      sealings += 1;
      if (sealings === 1) await people.seal.sealEverywhere();
    };
    const borrower = await open({ borrowsFrom: lending(people, 3_600_000, seals) });
    expect([sealings, borrower.seal.state()]).toEqual([1, 'sealed']);
    await unseal();
    await becomes(borrower, 'ready', () => clock.pass(10));
  });

  test('drops the root key when the record cannot be read for too long, and borrows again when it can', async () => {
    const { people, open, clock } = await unsealedStore();
    const { log, lines } = rememberingLog();
    const borrower = await open({ borrowsFrom: lending(people, 200), log, refreshMs: 10 });
    expect(borrower.seal.state()).toBe('ready');
    await sql`alter table seal rename to seal_away`.execute(people.db);
    await eventually(() => borrower.seal.state() === 'sealed' && borrower.barrier.sealed);
    expect(lines.filter((line) => line.includes('could not be read for too long'))).toHaveLength(1);
    expect(people.seal.state()).toBe('ready');
    await sql`alter table seal_away rename to seal`.execute(people.db);
    await becomes(borrower, 'ready', () => clock.pass(10));
    // A read that began before the table was back may still fail.
    const stateAfter = () =>
      borrower.seal.refresh().then(
        () => borrower.seal.state(),
        () => 'unread',
      );
    await expect.poll(stateAfter).toBe('ready');
  });

  test('keeps the root key as long as it reads the record', async () => {
    const { people, open } = await unsealedStore();
    let asked = 0;
    const counting = {
      ...lending(people, 100),
      openRootKey: (...given: Parameters<Lender['openRootKey']>) => {
        asked += 1;
        return lending(people).openRootKey(...given);
      },
    };
    const borrower = await open({ borrowsFrom: counting });
    const until = performance.now() + 500;
    while (performance.now() < until) await borrower.seal.refresh();
    expect([borrower.seal.state(), asked]).toEqual(['ready', 1]);
  });
});

test('a process that operators unsealed stays unsealed during an outage of the database', async () => {
  const { people } = await unsealedStore();
  await sql`alter table seal rename to seal_away`.execute(people.db);
  await expect(people.seal.refresh()).rejects.toThrow();
  expect(people.seal.state()).toBe('ready');
});
