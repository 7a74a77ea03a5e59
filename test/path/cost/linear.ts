import { expect } from 'vitest';
import { JsonReader } from '#core/json/reader.ts';
import type { Operation } from '#path/contract/row.ts';
import { inputReader } from '#path/input/parse.ts';
import { leastProcessorMs, processorMs } from '../../support/measures/processor-time.ts';
import { attacks } from './attacks.ts';

/** The largest body of a request that writes no secret, in characters of JSON. */
const limit = 1_048_576;
/**
 * How long the fields of one request may hold the event loop, in milliseconds, on a machine that reads a megabyte of JSON in
 * `usualMs`.
 */
const heldMsMax = 100;
const usualMs = 10;
/** Growth cannot be judged below this cost. */
const noiseMs = 25;
/** The size of each attack: up to the limit, each twice the one before. Some lie just within the bounds of texts. */
const sizes = [1, 2, 4, 8, 16, 32, 64].map((times) => (times * limit * 0.99) / 64);
/** Four times the size may cost four times this much. */
const growthMax = 3;
/** Bodies with more members are refused before the fields are read. */
const membersMax = 50_000;

const values = Object.entries(attacks).map(
  ([attack, make]) => [attack, sizes.map((size) => bounded(make(size)))] as const,
);

const unknownFields = sizes
  .map((size) => (size / limit) * membersMax)
  .map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown-${count - index}`, index])));
const longNames = sizes.map((size) => ({ ['n'.repeat(size)]: 1 }));

/** Fails when reading any attack as this field of the operation costs too much, or more than in proportion to its size. */
export function fieldMustBeLinear(operation: Operation, field: string, what: string): void {
  const read = readerOf(operation);
  for (const [attack, sized] of values) {
    const bodies = sized.map((value) => ({ [field]: value }));
    mustBeLinear(`${what}, ${attack}`, read, bodies);
  }
}

/** The same for fields that the operation does not have. */
export function unknownFieldsMustBeLinear(operation: Operation, what: string): void {
  const read = readerOf(operation);
  mustBeLinear(`${what}, unknown fields`, read, unknownFields);
  mustBeLinear(`${what}, long names`, read, longNames);
}

function readerOf(operation: Operation): (data: object) => unknown {
  const read = inputReader(operation);
  return (data) => read({ parameters: {}, data: Object(data) });
}

/** Measurements that may be repeated: what runs beside them makes single ones too high. */
const measuresMax = 4;

function mustBeLinear(what: string, read: (data: object) => unknown, bodies: readonly object[]): void {
  const once = bodies.map((body) => processorMs(() => read(body)));
  if (Math.max(...once) <= noiseMs) return;
  const measured = () => bodies.map((body) => leastProcessorMs(() => read(body), 3));
  let costs = measured();
  for (let measure = 1; measure < measuresMax && faultIn(costs) !== undefined; measure += 1) costs = measured();
  expect(faultIn(costs), `${what}: ${costs.map((ms) => ms.toFixed(1)).join(', ')} ms`).toBeUndefined();
}

/** What is wrong with the costs of bodies of which each is twice as large as the one before. */
function faultIn(costs: readonly number[]): string | undefined {
  if (Math.max(...costs) >= heldMsMax * slowness()) return 'too expensive';
  const grows = costs.some((cost, index) => {
    const quarter = Math.max(costs[index - 2] ?? cost, 1);
    return cost > noiseMs && cost >= 4 * growthMax * quarter;
  });
  return grows ? 'more than in proportion to the size' : undefined;
}

/** How many times slower than the usual machine this one is now. */
const slowness = () => Math.max(1, leastProcessorMs(() => readJson(`["${'x'.repeat(limit)}"]`), 3) / usualMs);

function readJson(text: string): void {
  const reader = new JsonReader({ levelsMax: 500, membersMax });
  reader.read(text);
  reader.end();
}

function bounded(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, membersMax);
  const isMap = typeof value === 'object' && value !== null;
  return isMap ? Object.fromEntries(Object.entries(value).slice(0, membersMax)) : value;
}
