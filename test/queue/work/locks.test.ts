import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { type LockOwner, Locks } from '#queue/work/locks.ts';

const lockMs = 12_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Locks whose renewal returns what the test provides; `asked` has the ids of each renewal. */
function testLocks(renew: (ids: readonly string[]) => Promise<string[]> = async () => []) {
  const asked: string[][] = [];
  const owner: LockOwner = {
    extendJobLocks: (ids) => {
      asked.push(ids);
      return renew(ids);
    },
  };
  const locks = new Locks(owner, lockMs, silentLog);
  return { locks, asked, hold: (id: string) => locks.hold(id, `token of ${id}`, Date.now()) };
}

it('all locks are renewed together, three times per lock time', async () => {
  const { asked, hold } = testLocks();
  hold('1');
  hold('2');
  await vi.advanceTimersByTimeAsync(lockMs);
  expect(asked).toEqual([
    ['1', '2'],
    ['1', '2'],
    ['1', '2'],
  ]);
});

it('when another worker has the lock, its handler is stopped at the next renewal, and no other', async () => {
  const { hold } = testLocks(async () => ['1']);
  const [lost, kept] = [hold('1'), hold('2')];
  await vi.advanceTimersByTimeAsync(lockMs / 12);
  expect(lost.stopped).toBe('lost');
  expect(lost.signal.aborted).toBe(true);
  expect(kept.stopped).toBeUndefined();
});

it.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['has no answer', () => new Promise<never>(() => {})],
])('a lock whose renewal %s counts as lost before it expires', async (_how, renew) => {
  const { hold } = testLocks(renew);
  const lock = hold('1');
  await vi.advanceTimersByTimeAsync(lockMs * 0.8);
  expect(lock.stopped).toBeUndefined();
  await vi.advanceTimersByTimeAsync(lockMs * 0.15);
  expect(lock.stopped).toBe('lost');
});

it('a renewed lock stays valid, but not for a handler that never ends', async () => {
  const { hold, asked } = testLocks();
  const lock = hold('1');
  await vi.advanceTimersByTimeAsync(lockMs * 1.9);
  expect(lock.stopped).toBeUndefined();
  await vi.advanceTimersByTimeAsync(lockMs * 0.2);
  expect(lock.stopped).toBe('lost');
  const renewals = asked.length;
  await vi.advanceTimersByTimeAsync(lockMs);
  expect(asked).toHaveLength(renewals);
});

it('a clock that is set back neither stops the renewals nor hides that they fail', async () => {
  let away = false;
  const { hold, asked } = testLocks(async () => {
    if (away) throw new Error('away');
    return [];
  });
  const lock = hold('1');
  await vi.advanceTimersByTimeAsync(lockMs / 2);
  const renewals = asked.length;
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(lockMs);
  expect(asked.length - renewals).toBe(3);
  expect(lock.stopped).toBeUndefined();
  away = true;
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(lockMs);
  expect(lock.stopped).toBe('lost');
});

it('a process that was frozen for longer than the lock time has lost its locks, even if no other worker has them', async () => {
  const { hold } = testLocks();
  const lock = hold('1');
  vi.setSystemTime(Date.now() + lockMs);
  await vi.advanceTimersByTimeAsync(lockMs / 12);
  expect(lock.stopped).toBe('lost');
});

it('a released lock is no longer renewed, and releasing it twice does not affect its successor', async () => {
  const { hold, asked } = testLocks();
  const first = hold('1');
  first.release();
  hold('1');
  first.release();
  await vi.advanceTimersByTimeAsync(lockMs / 12);
  expect(asked).toEqual([['1']]);
});

it('a lost lock stays lost in a shutdown', () => {
  const { locks, hold } = testLocks();
  const lock = hold('1');
  locks.stopAll('shutdown');
  expect(lock.stopped).toBe('shutdown');
  locks.stopAll('lost');
  locks.stopAll('shutdown');
  expect(lock.stopped).toBe('lost');
  locks.close();
});
