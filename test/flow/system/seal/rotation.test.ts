import { expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { openStore } from '#store/open.ts';
import { heldClock } from '#test/store/clocks.ts';
import { storeOptions } from '#test/store/stores.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { ending } from '#test/support/services.ts';

const service = serviceOf([]);
const at = 'sys/rotate/config';
const dayMs = 86_400_000;

test('the settings are read and changed, and fields that are not given keep their value', async () => {
  const usual = { enabled: true, max_operations: 2 ** 31, interval: 0 };
  expect(await service.ask('GET', at)).toMatchObject({ data: usual, body: usual });
  expect((await service.ask('POST', at, { max_operations: 5_000_000, interval: '48h' })).status).toBe(204);
  expect((await service.ask('POST', at, { enabled: false })).status).toBe(204);
  expect((await service.ask('GET', at)).data).toEqual({
    enabled: false,
    max_operations: 5_000_000,
    interval: '48h0m0s',
  });
  await service.ask('POST', at, { enabled: true, max_operations: 2 ** 31, interval: 0 });
  expect((await service.ask('GET', at)).data).toEqual(usual);
});

test.each([
  [{ max_operations: 999_999 }, 'max_operations must be from'],
  [{ max_operations: 4_000_000_000 }, 'max_operations must be from'],
  [{ max_operations: 'many' }, 'max_operations'],
  [{ interval: '1h' }, 'interval must be 0 or at least 24h'],
  [{ interval: -1 }, 'interval'],
  [{ enabled: 'perhaps' }, 'enabled'],
])('%j is refused', async (sent, text) => {
  const answer = await service.ask('POST', at, sent);
  expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

/** A store of another process whose clock is this many days ahead. */
function openAt(days: number) {
  const clock = heldClock(new Date(Date.now() + days * dayMs).toISOString());
  const seal = { key: new Secret(service.config.KEYFERRY_SEAL_KEY ?? '') };
  return {
    clock,
    open: async () => ending(await openStore(storeOptions(service.config.DATABASE_URL ?? '', { seal, clock }))),
  };
}

test('the sweep replaces a key that is too old', async () => {
  const { open } = openAt(-3);
  const past = await open();
  await past.seal.rotate();
  const { term } = past.seal.keyStatus();
  expect((await service.ask('POST', at, { interval: '48h' })).status).toBe(204);
  // The process reads the keyring periodically.
  await eventually(async () => {
    await service.sweep();
    await service.store.seal.refresh();
    return service.store.seal.keyStatus().term === term + 1;
  });
  await service.sweep();
  await service.store.seal.refresh();
  expect(service.store.seal.keyStatus().term).toBe(term + 1);
});

test('a key that is too old is replaced once, by the first process that checks', async () => {
  const { clock, open } = openAt(3);
  const [one, two] = await Promise.all([open(), open()]);
  await one.seal.configureRotation({ intervalSeconds: 0 });
  const { term } = one.seal.keyStatus();
  await one.seal.rotateIfDue();
  expect(one.seal.keyStatus().term).toBe(term);
  await one.seal.configureRotation({ intervalSeconds: 2 * 86_400 });
  await two.seal.refresh();
  await Promise.all([one.seal.rotateIfDue(), two.seal.rotateIfDue(), one.seal.rotateIfDue()]);
  await Promise.all([one.seal.refresh(), two.seal.refresh()]);
  expect([one.seal.keyStatus().term, two.seal.keyStatus().term]).toEqual([term + 1, term + 1]);
  clock.pass(2 * dayMs);
  await one.seal.configureRotation({ enabled: false });
  await one.seal.rotateIfDue();
  expect(one.seal.keyStatus().term).toBe(term + 1);
});
