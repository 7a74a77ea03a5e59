import { expect, test } from 'vitest';
import { DestinationFailure, type FailureKind } from '#destinations/contract.ts';
import { newWriteTracker, tracked } from '#destinations/frame/verb/verb.ts';
import { failureOf } from '../driving.ts';

const failing = (kind: FailureKind) => () => Promise.reject(new DestinationFailure(kind, `${kind} it is`));
const done = async () => undefined;

test.each<readonly [FailureKind, boolean]>([
  ['credentials', true],
  ['permission', true],
  ['missing', true],
  ['name', true],
  ['too-large', true],
  ['conflict', true],
  ['quota', true],
  ['invalid', true],
  ['blocked', true],
  ['throttled', true],
  ['unavailable', false],
  ['timeout', false],
  ['network', false],
  ['internal', false],
])('a put whose only write failed as %s has certainly changed nothing: %s', async (kind, untouched) => {
  const tracker = newWriteTracker();
  const failure = await failureOf(tracked(tracker, () => tracker.write(failing(kind))));
  expect(failure).toMatchObject({ kind, message: `${kind} it is`, untouched });
});

test('a refused write after a successful one leaves the change of the first', async () => {
  const tracker = newWriteTracker();
  await tracker.write(done);
  expect(await failureOf(tracked(tracker, () => tracker.write(failing('permission'))))).toMatchObject({
    untouched: false,
  });
});

test('a put that is aborted during a write may have changed something', async () => {
  const tracker = newWriteTracker();
  const ended = tracked(tracker, async () => {
    void tracker.write(() => new Promise(() => undefined));
    throw new DestinationFailure('timeout', 'ended');
  });
  expect(await failureOf(ended)).toMatchObject({ untouched: false });
});

test('a put that was aborted before its first write makes none later', async () => {
  const tracker = newWriteTracker();
  const failure = await failureOf(tracked(tracker, failing('timeout')));
  expect(failure).toMatchObject({ untouched: true });
  let begun = false;
  const late = tracker.write(async () => {
    begun = true;
  });
  expect(await failureOf(late)).toMatchObject({ kind: 'timeout' });
  expect(begun).toBe(false);
});

test('the copy of a shared failure keeps its wait and its cause', async () => {
  const cause = new Error('why');
  const shared = new DestinationFailure('throttled', 'wait', { retryAfterMs: 7_000, cause });
  const failure = newWriteTracker().failed(shared);
  expect(failure).toMatchObject({ retryAfterMs: 7_000, cause, untouched: true });
  expect(shared.untouched).toBe(false);
});
