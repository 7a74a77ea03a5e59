import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver, FailureKind } from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { type RepoHostFake, startFake } from '#destinations/repo-host/fake/index.ts';
import { calm, failureOf, item, open } from './connection.ts';

let fake: RepoHostFake;
let driver: Driver;
/** A driver with a short timeout, for calls that hang. */
let brief: Driver;

beforeEach(async () => {
  fake = await startFake();
  driver = open(fake);
  brief = open(fake, fake.destination, { timeouts: { connectMs: 2_000, requestMs: 2_000 } });
});

afterEach(async () => {
  await Promise.all([driver.close(), brief.close()]);
  await fake.close();
});

const value = 'value-that-must-not-show';
const faults: readonly (readonly [Fault, FailureKind])[] = [
  [{ kind: 'throttle', retryAfterSeconds: 7 }, 'throttled'],
  [{ kind: 'throttle' }, 'throttled'],
  [{ kind: 'unavailable' }, 'unavailable'],
  [{ kind: 'denied' }, 'permission'],
  [{ kind: 'credentials' }, 'credentials'],
  [{ kind: 'hang' }, 'timeout'],
  [{ kind: 'reset' }, 'network'],
  [{ kind: 'lost-answer' }, 'network'],
];

describe.each(faults)('with %j', (fault, kind) => {
  it(`a put fails with kind ${kind}, without a secret, and works afterwards`, async () => {
    const put = item('TOKEN', value);
    const failing = fault.kind === 'hang' ? brief : driver;
    fake.fail(fault);
    const failure = await failureOf(failing.put(put, calm()));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain('TOKEN');
    expectNoSecret(failure);
    fake.heal();
    await driver.put(put, calm());
    expect(fake.objects().get('TOKEN')?.value).toBe(value);
  });

  it(`a remove fails with kind ${kind} and works afterwards`, async () => {
    const removal = { name: 'TOKEN', mark: '', remoteVersion: null };
    await driver.put(item('TOKEN', value), calm());
    fake.fail(fault);
    const failing = fault.kind === 'hang' ? brief : driver;
    const failure = await failureOf(failing.remove(removal, calm()));
    expect(failure.kind).toBe(kind);
    expectNoSecret(failure);
    fake.heal();
    await driver.remove(removal, calm());
    expect(fake.objects().size).toBe(0);
  });
});

it.each([
  ['denied', true],
  ['unavailable', false],
] as const)('A write that met %s has certainly changed nothing: %s.', async (kind, untouched) => {
  await driver.put(item('TOKEN', 'one'), calm());
  fake.fail({ kind, times: 1 });
  const before = fake.calls().get('put-secret') ?? 0;
  expect(await failureOf(driver.put(item('TOKEN', 'two', { mode: 'update' }), calm()))).toMatchObject({ untouched });
  expect(fake.calls().get('put-secret')).toBe(before + 1);
});

it('A throttled put reports the wait, in both forms of the host.', async () => {
  fake.fail({ kind: 'throttle', retryAfterSeconds: 7 });
  expect(await failureOf(driver.put(item('TOKEN', value), calm()))).toMatchObject({ retryAfterMs: 7_000 });
  fake.fail({ kind: 'throttle' });
  const { retryAfterMs = 0 } = await failureOf(driver.put(item('TOKEN', value), calm()));
  expect(retryAfterMs).toBeGreaterThan(55_000);
  expect(retryAfterMs).toBeLessThanOrEqual(62_000);
});

describe('the signal', () => {
  it('that is already aborted prevents all calls', async () => {
    expect(await failureOf(driver.put(item('TOKEN', value), AbortSignal.abort()))).toMatchObject({ kind: 'timeout' });
    expect(fake.calls().size).toBe(0);
  });

  it.each([false, true])('ends a call that hangs (while the public key is fetched: %s)', async (keyMissing) => {
    const longTimeout = open(fake, fake.destination, { timeouts: { connectMs: 60_000, requestMs: 60_000 } });
    const mode = keyMissing ? 'update' : 'create';
    fake.fail({ kind: 'hang' });
    const abort = new AbortController();
    const failure = failureOf(longTimeout.put(item('TOKEN', value, { mode }), abort.signal));
    while (fake.calls().size === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('the operation took too long'));
    expect(await failure).toMatchObject({ kind: 'timeout' });
    await longTimeout.close();
  });
});

it('A host that cannot be reached is a network failure.', async () => {
  const port = Number(new URL(fake.url).port);
  await fake.close();
  const failure = await failureOf(driver.put(item('TOKEN', value), calm()));
  expect(failure).toMatchObject({ kind: 'network' });
  expect(failure.message).toContain('ECONNREFUSED');
  fake = await startFake({ port });
});

function expectNoSecret(failure: Error): void {
  const shown = inspect(failure, { depth: 20, showHidden: true });
  expect(shown).not.toContain(value);
  expect(shown).not.toContain(String(fake.destination['access_token']));
}
