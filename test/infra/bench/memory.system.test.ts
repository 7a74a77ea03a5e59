import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { production } from '#infra/bench/processes/process.ts';
import { isFlat, judge, rssBytesMax } from '#infra/bench/soak/flat.ts';
import { growingPercent } from '#infra/process/heap.ts';

const read = (name: string): Promise<string> => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
const settings = Object.entries(production.environment).map(([name, value]) => `${name}=${value}`);

test('the npm scripts and the image start processes with the settings that the soak measures', async () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await read('package.json')));
  const command = (file: string) =>
    `exec env ${settings.join(' ')} node ${production.nodeOptions.join(' ')} infra/commands/${file}.ts`;
  for (const [name, file] of [
    ['start', 'dev'],
    ['serve', 'serve'],
    ['worker', 'worker'],
    ['sweep', 'sweep'],
  ] as const) {
    expect(scripts[name]).toBe(command(file));
  }
  const options = `NODE_OPTIONS=${production.nodeOptions.join(' ')}`;
  expect(await read('infra/Dockerfile')).toContain(`\nENV ${[options, ...settings].join(' ')}\n`);
});

test('the heap of a process at rest is kept small, and a busy one is left alone', () => {
  expect([0, 0.2, 0.5].map(growingPercent)).toEqual([40, 40, 40]);
  expect([0.51, 1, 3].map(growingPercent)).toEqual([0, 0, 0]);
});

const megabyte = 1_048_576;
const samples = (count: number, rss: (index: number) => number, heap: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ rss: rss(index) * megabyte, heap: heap(index) * megabyte }));

test('a process that warms up and then stays level is flat', () => {
  const sawtooth = (index: number) => 40 + (index % 5) * 10;
  const { problems, rss, heap } = judge(samples(60, (index) => Math.min(150, 100 + index * 4), sawtooth));
  expect(problems).toEqual([]);
  expect([rss, heap]).toEqual([
    { before: 150 * megabyte, after: 150 * megabyte },
    { before: 40 * megabyte, after: 40 * megabyte },
  ]);
});

test('a process that grows, in resident memory or on its heap, is not flat; nor is one that is too large', () => {
  const still = () => 100;
  expect(judge(samples(60, (index) => 100 + index, still)).problems).toEqual(['resident memory grows']);
  expect(judge(samples(60, still, (index) => 40 + index / 2)).problems).toEqual(['the heap grows']);
  const large = rssBytesMax / megabyte + 1;
  expect(judge(samples(60, (index) => (index === 3 ? large : 100), still)).problems).toEqual([
    'holds more than 256 MB',
  ]);
});

test('growth within the variation between collections is not counted', () => {
  expect(isFlat({ before: 200 * megabyte, after: 210 * megabyte })).toBe(true);
  expect(isFlat({ before: 200 * megabyte, after: 211 * megabyte })).toBe(false);
  expect(isFlat({ before: 10 * megabyte, after: 16 * megabyte })).toBe(true);
  expect(isFlat({ before: 10 * megabyte, after: 17 * megabyte })).toBe(false);
});
