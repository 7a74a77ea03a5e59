import { describe, expect, test } from 'vitest';
import { DestinationFailure } from '#destinations/contract.ts';
import { framed } from '#destinations/frame/framed.ts';
import { failureOf, never } from '../driving.ts';
import { item, none, small } from './verbs.ts';

const put = async () => ({ remoteVersion: '1' });
const throttled = () => new DestinationFailure('throttled', 'its rate limit is used up', { retryAfterMs: 7 });

describe('the failure of each verb names the action and the reason', () => {
  const driver = framed(small, {
    put: () => Promise.reject(throttled()),
    remove: () => Promise.reject(throttled()),
    look: () => Promise.reject(throttled()),
    permissions: none.permissions,
    close: none.close,
  });

  test.each([
    ['write', () => driver.put(item('app', 'v'), never)],
    ['remove', () => driver.remove({ name: 'app', mark: '', remoteVersion: null }, never)],
    ['look at', () => driver.inspect('app', never)],
  ])('cannot %s', async (action, run) => {
    const failure = await failureOf(run());
    expect(failure).toMatchObject({ kind: 'throttled', retryAfterMs: 7 });
    expect(failure.message).toBe(`cannot ${action} secret app: its rate limit is used up`);
  });
});

test('an error that a driver does not explain is internal, and keeps its cause', async () => {
  const cause = new Error('of an SDK');
  const driver = framed(small, { ...none, put: () => Promise.reject(cause) });
  const failure = await failureOf(driver.put(item('app', 'v'), never));
  expect(failure).toMatchObject({ kind: 'internal', message: 'cannot write secret app: unexpected error', cause });
});

test('an error that a driver explains has its text', async () => {
  const explain = () => new DestinationFailure('quota', 'it is full');
  const driver = framed(small, { ...none, put, look: () => Promise.reject(new Error('of an SDK')), explain });
  expect((await failureOf(driver.inspect('app', never))).message).toBe('cannot look at secret app: it is full');
});

describe('an aborted signal', () => {
  test('ends a verb at any time', async () => {
    const controller = new AbortController();
    const driver = framed(small, { ...none, put: () => new Promise(() => {}) });
    const putting = failureOf(driver.put(item('app', 'v'), controller.signal));
    controller.abort();
    const message = 'cannot write secret app: the operation was aborted before it completed';
    expect(await putting).toMatchObject({ kind: 'timeout', message });
  });

  test('prevents each verb', async () => {
    const driver = framed(small, { ...none, put });
    for (const run of [
      driver.put(item('app', 'v'), AbortSignal.abort()),
      driver.remove({ name: 'app', mark: '', remoteVersion: null }, AbortSignal.abort()),
      driver.inspect('app', AbortSignal.abort()),
    ]) {
      expect((await failureOf(run)).kind).toBe('timeout');
    }
  });

  test('prevents further changing calls of the put', async () => {
    const controller = new AbortController();
    const begun: string[] = [];
    let goOn = () => {};
    let over = Promise.resolve();
    const driver = framed(small, {
      ...none,
      async put(_item, tracker) {
        const paused = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        over = paused.then(() => tracker.write(async () => void begun.push('a late call'))).catch(() => {});
        await over;
        return { remoteVersion: null };
      },
    });
    const putting = failureOf(driver.put(item('app', 'v'), controller.signal));
    controller.abort();
    expect(await putting).toMatchObject({ kind: 'timeout', untouched: true });
    goOn();
    await over;
    expect(begun).toEqual([]);
  });
});

describe('a put whose name or value does not fit', () => {
  test.each([
    ['name', item('Two Words', 'v'), 'cannot write secret Two Words: a name has 1 to 8 small letters'],
    ['too-large', item('app', 'ninebytes'), 'cannot write secret app: the value has 9 bytes, at most 8 are allowed'],
    [
      'invalid',
      item('app', ''),
      'cannot write secret app: the value is empty, and the service cannot store empty values',
    ],
  ])('is refused as %s before any call', async (kind, one, message) => {
    const driver = framed(small, { ...none, put: () => Promise.reject(new Error('a put was not expected')) });
    expect(await failureOf(driver.put(one, never))).toMatchObject({ kind, message, untouched: true });
  });

  test('does not include an empty value for a system that stores it', async () => {
    const { refusesEmpty: _, ...keeping } = small;
    expect(await framed(keeping, { ...none, put }).put(item('app', ''), never)).toEqual({ remoteVersion: '1' });
  });
});

test('the failure of a put shows whether anything was written', async () => {
  const refusal = new DestinationFailure('permission', 'no');
  const refused = framed(small, { ...none, put: (_, tracker) => tracker.write(() => Promise.reject(refusal)) });
  expect(await failureOf(refused.put(item('app', 'v'), never))).toMatchObject({ untouched: true });
  const silent = new DestinationFailure('network', 'the connection failed');
  const unclear = framed(small, { ...none, put: (_, tracker) => tracker.write(() => Promise.reject(silent)) });
  expect(await failureOf(unclear.put(item('app', 'v'), never))).toMatchObject({ untouched: false });
});
