import { expect, test } from 'vitest';
import { listEntries } from '#path/listing.ts';

const entries = 10_000;
const all = Array.from({ length: entries }, (_, index) => String(index).padStart(6, '0'));

/** Pages of a store that returns at once. */
const read = async ({ after, limit }: { readonly after: string; readonly limit: number }) => {
  const from = all.findIndex((key) => key > after);
  return all.slice(from, from < 0 ? 0 : from + limit).map((key) => ({ key, info: { name: `n"${key}` } }));
};

/** Counts the rounds of the event loop during the work. */
async function roundsDuring<T>(work: Promise<T>): Promise<{ readonly rounds: number; readonly result: T }> {
  let rounds = 0;
  let running = true;
  const count = () => {
    rounds += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  running = false;
  return { rounds, result };
}

test('a long listing yields to the event loop after every few hundred entries', async () => {
  const { rounds } = await roundsDuring(listEntries({ after: '', limit: 0 }, read));
  expect(rounds).toBeGreaterThanOrEqual(entries / 250);
});

test('a listing has its keys and their details, whatever its length', async () => {
  for (const limit of [0, 1, 249, 250, 251, 9_999, 10_000]) {
    const reply = await listEntries({ after: '', limit }, read);
    const body = JSON.parse(Buffer.concat(reply?.written?.within({ data: reply.data }) ?? []).toString());
    const keys = limit === 0 ? all : all.slice(0, limit);
    expect(body.data.keys).toEqual(keys);
    expect(Object.keys(body.data.key_info)).toEqual(keys);
    expect(body.data.key_info[keys.at(-1) ?? '']).toEqual({ name: `n"${keys.at(-1)}` });
  }
  const none = await listEntries({ after: 'x', limit: 0 }, read);
  expect(JSON.parse(Buffer.concat(none?.written?.within({ data: none.data }) ?? []).toString())).toEqual({
    data: { keys: [], key_info: {} },
  });
});
