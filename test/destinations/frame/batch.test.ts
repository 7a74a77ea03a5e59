import { expect, test } from 'vitest';
import { DestinationFailure, type Driver, type PutItem } from '#destinations/contract.ts';
import { framed } from '#destinations/frame/framed.ts';
import type { PutMany } from '#destinations/frame/verb/batch.ts';
import { failureOf, never } from '../driving.ts';
import { item, none, small } from './verbs.ts';

const driverOf = (putMany: PutMany): Driver => framed(small, { ...none, putMany });
const putMany = (driver: Driver, items: readonly PutItem[], signal = never) => driver.putMany?.(items, signal);

test('an item that does not fit is refused, and the others are put', async () => {
  const seen: string[] = [];
  const driver = driverOf(async (puts, settled) => {
    for (const { item } of puts) {
      seen.push(item.name);
      settled.set(item, { remoteVersion: '1' });
    }
  });
  const outcomes = await putMany(driver, [item('one', 'v'), item('two', 'ninebytes'), item('three', 'v')]);
  expect(seen).toEqual(['one', 'three']);
  expect(outcomes).toMatchObject([
    { ok: true, receipt: { remoteVersion: '1' } },
    { ok: false, failure: { kind: 'too-large', untouched: true } },
    { ok: true },
  ]);
});

test('an error is the shared failure of all open items', async () => {
  const driver = driverOf(async ([first, ...rest], settled) => {
    if (first !== undefined) settled.set(first.item, { remoteVersion: '1' });
    for (const { tracker } of rest) await tracker.write(async () => {});
    throw new DestinationFailure('throttled', 'its rate limit is used up', { retryAfterMs: 7 });
  });
  const [one, two, three] = (await putMany(driver, [item('one', 'v'), item('two', 'v'), item('three', 'v')])) ?? [];
  expect(one).toMatchObject({ ok: true });
  const message = 'cannot write 2 secrets: its rate limit is used up';
  expect(two).toMatchObject({ ok: false, failure: { kind: 'throttled', message, retryAfterMs: 7 } });
  expect(two?.ok === false && three?.ok === false && two.failure === three.failure).toBe(true);
});

test('an item that was not settled has an unknown outcome', async () => {
  const [outcome] =
    (await putMany(
      driverOf(async () => {}),
      [item('one', 'v')],
    )) ?? [];
  const message = 'cannot write secret one: the service did not report the outcome';
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'unavailable', message } });
});

test('a batch with an aborted signal makes no call', async () => {
  const driver = driverOf(() => Promise.reject(new Error('a put was not expected')));
  const [outcome] = (await putMany(driver, [item('one', 'v')], AbortSignal.abort())) ?? [];
  expect(outcome).toMatchObject({ failure: { kind: 'timeout', untouched: true } });
});

test('a single put is a batch of one', async () => {
  const driver = driverOf(async ([first], settled) => {
    if (first?.item.name === 'one') settled.set(first.item, { remoteVersion: '1' });
    else throw new DestinationFailure('conflict', 'it already exists');
  });
  expect(await driver.put(item('one', 'v'), never)).toEqual({ remoteVersion: '1' });
  const message = 'cannot write secret two: it already exists';
  expect(await failureOf(driver.put(item('two', 'v'), never))).toMatchObject({ kind: 'conflict', message });
});
