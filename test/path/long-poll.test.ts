import { afterEach, expect, test } from 'vitest';
import { longestWaitMs, longPoll } from '#path/long-poll.ts';

let over = new AbortController();
afterEach(() => over.abort());

/** Ten places, and requests that wait in them until the test is over. */
function open() {
  over = new AbortController();
  const poll = longPoll({ lookMs: 5, waitersMax: 10, waitMsMax: 3_600_000 });
  const wait = (namespaceId: string, count = 1) =>
    Array.from({ length: count }, () =>
      poll(
        async () => 'nothing',
        () => false,
        { namespaceId, waitMs: 3_600_000, signal: over.signal },
      ),
    );
  return wait;
}

/** Whether a request waits: one that is refused or answered has ended after a turn of the event loop. */
async function waits(request: Promise<unknown> | undefined): Promise<boolean> {
  const turn = new Promise((resolve) => setTimeout(resolve, 50, 'turn'));
  return (await Promise.race([request, turn])) === 'turn';
}

test('a namespace alone has all places, and no more', async () => {
  const wait = open();
  const requests = wait('one', 10);
  await expect(Promise.all(wait('one'))).rejects.toThrow('more than 10 requests wait');
  expect(await Promise.all(requests.map(waits))).toEqual(requests.map(() => true));
});

test('a namespace that has taken all places gives up the oldest, until others have as many', async () => {
  const wait = open();
  const greedy = wait('one', 10);
  const others = wait('two', 5);
  expect(await Promise.all(greedy.slice(0, 5))).toEqual(Array.from({ length: 5 }, () => 'nothing'));
  expect(await Promise.all([...greedy.slice(5), ...others].map(waits))).toEqual(others.concat(others).map(() => true));
  for (const name of ['one', 'two'])
    await expect(Promise.all(wait(name))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a place that is lost is free once, and one whose request ends is free again', async () => {
  const wait = open();
  wait('one', 10);
  const [late] = wait('two');
  expect(await waits(late)).toBe(true);
  over.abort();
  await late;
  const poll = longPoll({ lookMs: 5, waitersMax: 1, waitMsMax: 3_600_000 });
  const once = () =>
    poll(
      async () => 'seen',
      () => true,
      { namespaceId: 'one', waitMs: 1_000, signal: new AbortController().signal },
    );
  expect([await once(), await once()]).toEqual(['seen', 'seen']);
});

test('a request waits as long as it asks for, but no longer than the deployment has time for', async () => {
  // Behind a function with 25 seconds for a request.
  expect(longestWaitMs(25_000)).toBe(20_000);
  const poll = longPoll({ lookMs: 3_600_000, waitersMax: 1, waitMsMax: 1 });
  over = new AbortController();
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  // It comes back instead of waiting an hour. How often it has looked is a matter of timers, which may fire early, and of the machine.
  const looked = await poll(look, () => false, { namespaceId: 'one', waitMs: 3_600_000, signal: over.signal });
  expect(looked).toBeGreaterThan(0);
});
