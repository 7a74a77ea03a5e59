import { describe, expect, test } from 'vitest';
import { realTable } from '../../infra/generate/rows.ts';
import { JsonReader } from '../../lib/core/json/reader.ts';
import type { Operation } from '../../lib/path/contract/row.ts';
import { inputReader } from '../../lib/path/input/parse.ts';
import { fieldMeta } from '../../lib/path/meta.ts';
import { leastProcessorMs, processorMs } from '../support/processor-time.ts';
import { attacks } from './attacks.ts';

/** What a body may have where no secret is written, in characters of JSON. */
const limit = 1_048_576;
/** The event loop may be held so long by the fields of a request, in milliseconds, on a machine that reads a megabyte of JSON in `usualMs`. */
const heldMsMax = 100;
const usualMs = 10;
/** Below this nothing can be said about growth. */
const noiseMs = 25;

const operations = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(([verb, one]) => [`${verb} ${mount}/${row.pattern}`, one] as const),
  ),
);

/** How much slower this machine is than the usual one, at this time. */
const slowness = () => Math.max(1, leastProcessorMs(() => readJson(`["${'x'.repeat(limit)}"]`), 3) / usualMs);

function readJson(text: string): void {
  const reader = new JsonReader({ levelsMax: 500, membersMax: 50_000 });
  reader.read(text);
  reader.end();
}

/** Up to the limit, each twice the one before; some are just within the bounds of texts. */
const sizes = [1, 2, 4, 8, 16, 32, 64].map((times) => (times * limit * 0.99) / 64);
/** A step of four may cost so many times four. */
const growthMax = 3;

function mustBeLinear(what: string, read: (data: object) => unknown, data: readonly object[]): void {
  const once = data.map((one) => processorMs(() => read(one)));
  if (Math.max(...once) <= noiseMs) return;
  const costs = data.map((one) => leastProcessorMs(() => read(one), 3));
  const summary = `${what}: ${costs.map((ms) => ms.toFixed(1)).join(', ')} ms`;
  expect(Math.max(...costs), summary).toBeLessThan(heldMsMax * slowness());
  for (const [index, cost] of costs.entries()) {
    const quarter = Math.max(costs[index - 2] ?? cost, 1);
    if (cost > noiseMs) expect(cost, summary).toBeLessThan(4 * growthMax * quarter);
  }
}

/** The members of a body are bounded before anybody looks at its fields. */
const membersMax = 50_000;

function bounded(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, membersMax);
  const isMap = typeof value === 'object' && value !== null;
  return isMap ? Object.fromEntries(Object.entries(value).slice(0, membersMax)) : value;
}

const made = Object.entries(attacks).map(
  ([attack, make]) => [attack, sizes.map((size) => bounded(make(size)))] as const,
);

const unknownFields = sizes
  .map((size) => (size / limit) * membersMax)
  .map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown-${count - index}`, index])));
const longNames = sizes.map((size) => ({ ['n'.repeat(size)]: 1 }));

const fieldsOf = (one: Operation): readonly string[] =>
  Object.entries(one.fields).flatMap(([name, field]) => (fieldMeta(field).in === 'path' ? [] : [name]));

describe.each(operations)('%s', (name, one) => {
  const read = inputReader(one);
  const reading = (data: object) => read({ parameters: {}, data: Object(data) });

  test('no value of a field costs more than it should', () => {
    for (const field of fieldsOf(one))
      for (const [attack, values] of made)
        mustBeLinear(
          `${name}, ${field}, ${attack}`,
          reading,
          values.map((value) => ({ [field]: value })),
        );
  });

  test('nor do fields that nobody knows', () => {
    mustBeLinear(`${name}, unknown fields`, reading, unknownFields);
    mustBeLinear(`${name}, long names`, reading, longNames);
  });
});
