import type { LookupOptions } from 'node:dns';
import { beforeEach, expect, test, vi } from 'vitest';
import { guardedLookup } from '#network/connection/lookup.ts';
import { strictPolicy } from '../../support/network/policy.ts';

type Entry = { readonly address: string; readonly family: number };
const answers: Entry[][] = [];
vi.mock('node:dns', () => ({
  lookup: (_host: string, _options: LookupOptions, callback: (error: null, entries: Entry[]) => void) =>
    callback(null, answers.shift() ?? []),
}));

const v4 = (address: string): Entry => ({ address, family: 4 });
const look = (options: LookupOptions) =>
  new Promise((answer) => {
    guardedLookup(strictPolicy, 443)('api.example.com', options, (...outcome) => answer(outcome));
  });

beforeEach(() => {
  answers.length = 0;
});

test('refused addresses of a name are omitted, in both forms of the answer', async () => {
  answers.push([v4('10.0.0.1'), v4('8.8.8.8'), v4('127.0.0.1')], [v4('10.0.0.1'), v4('8.8.8.8')]);
  expect(await look({ all: true })).toEqual([null, [v4('8.8.8.8')]]);
  expect(await look({})).toEqual([null, '8.8.8.8', 4]);
});

test('a name whose addresses are all refused is blocked, each named', async () => {
  answers.push([v4('10.0.0.1'), { address: '::1', family: 6 }]);
  expect(await look({ all: true })).toMatchObject([
    { message: expect.stringMatching(/api\.example\.com \(10\.0\.0\.1, ::1\) port 443: .*private use.*loopback/) },
    '',
  ]);
});

test('a name whose addresses change is resolved once per connection and judged by that answer', async () => {
  answers.push([v4('8.8.8.8')], [v4('169.254.169.254')]);
  expect(await look({ all: true })).toEqual([null, [v4('8.8.8.8')]]);
  expect(answers).toHaveLength(1);
});

test('a name without addresses fails', async () => {
  expect(await look({ all: true })).toMatchObject([{ message: expect.stringContaining('resolves to no address') }, '']);
});
