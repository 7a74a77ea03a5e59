import { expect, test } from 'vitest';
import { longestWaitMs, longPoll } from '#path/long-poll.ts';

const never = new AbortController().signal;

test('a request waits as long as it asks for, but no longer than the deployment has time for', async () => {
  // Behind a function with 25 seconds for a request.
  expect(longestWaitMs(25_000)).toBe(20_000);
  const poll = longPoll({ lookMs: 3_600_000, waitersMax: 1, waitMsMax: 1 });
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  expect(await poll(look, () => false, 3_600_000, never)).toBe(2);
});
