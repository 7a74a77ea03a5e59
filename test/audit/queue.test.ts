import { expect, test } from 'vitest';
import type { Outlet } from '#audit/devices/outlet.ts';
import { LineQueue } from '#audit/devices/queue.ts';

const [limitMs, charactersMax] = [60_000, 100];
const line = (characters: number) => `${'x'.repeat(characters - 1)}\n`;
const fate = (recorded: Promise<void>) =>
  recorded.then(
    () => 'recorded',
    (error: Error) => error.message,
  );

/** Accepts nothing until `open` is called. */
function heldOutlet() {
  const gate = Promise.withResolvers<void>();
  const written: string[] = [];
  const outlet: Outlet = {
    async write(lines) {
      await gate.promise;
      written.push(...lines);
    },
    close: async () => {},
  };
  return { outlet, written, open: gate.resolve };
}

test('a stuck device holds lines up to its limit, and accepts lines again afterwards', async () => {
  const { outlet, written, open } = heldOutlet();
  const queue = new LineQueue(outlet, limitMs, charactersMax);
  const held = [fate(queue.add(line(60))), fate(queue.add(line(40)))];
  for (let more = 0; more < 50; more += 1) expect(await fate(queue.add(line(1)))).toBe('too many lines are waiting');
  expect(queue.load).toEqual({ lines: 2, characters: 100 });
  open();
  expect(await Promise.all(held)).toEqual(['recorded', 'recorded']);
  expect(await fate(queue.add(line(100)))).toBe('recorded');
  expect(written.map(({ length }) => length)).toEqual([60, 40, 100]);
  await queue.close();
});

test('a line above the limit is written alone', async () => {
  const { outlet, open } = heldOutlet();
  const queue = new LineQueue(outlet, limitMs, charactersMax);
  const long = fate(queue.add(line(500)));
  expect(await fate(queue.add(line(1)))).toBe('too many lines are waiting');
  open();
  expect(await long).toBe('recorded');
  await queue.close();
});
