import type { Operation, Shape } from '#destinations/facts.ts';
import { operations, shapes } from '../bench/calls/operations.ts';
import type { Described } from './described.ts';

const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text: string): string => `\`${text}\``;

export const systems = (types: readonly Described[]): string =>
  table(
    ['destination type', 'system'],
    types.map(({ type, system }) => [code(type), system]),
  );

export const pages = (types: readonly Described[]): string =>
  table(
    ['type', 'alias', 'system', 'page'],
    types.map(({ type, definition, system }) => [code(type), code(definition.alias), system, `[page](${type}.md)`]),
  );

export const pageLinks = (types: readonly Described[]): string =>
  [
    ...types.map(({ type }) => `[${code(type)}](../destinations/${type}.md)`),
    'names: [templates](../destinations/templates.md)',
  ].join(' ·\n');

export const lateWrites = (types: readonly Described[]): string =>
  table(
    ['type', 'what the system refuses by itself', 'what the looks mend'],
    types.map(({ type, facts }) => [code(type), facts.lateWrites.refused, facts.lateWrites.mended]),
  );

export const calls = (types: readonly Described[]): string =>
  table(
    ['type', ...shapes.flatMap((shape) => operations.map((operation) => callHeading(shape, operation)))],
    types.map(({ type, facts }) => [
      code(type),
      ...shapes.flatMap((shape) => operations.map((operation) => facts.calls[shape][operation])),
    ]),
  );

function callHeading(shape: Shape, operation: Operation): string {
  if (shape === 'one object') return operation;
  if (operation === 'first push') return 'ten keys: first push';
  return operation === 'change' ? 'one of them changed' : operation;
}

const million = 1_000_000;

export const budgets = (types: readonly Described[]): string =>
  table(
    ['type', 'published limit', 'begins at: calls a second, burst', 'a million associations at one destination'],
    types.map(({ type, definition: { rate }, facts }) => [
      code(type),
      facts.publishedLimit,
      `${rate.callsPerSecond}, ${rate.burst}`,
      duration(million / rate.callsPerSecond),
    ]),
  );

function duration(seconds: number): string {
  const hours = seconds / 3_600;
  return hours < 24 ? `${hours.toFixed(1)} hours` : `${(hours / 24).toFixed(1)} days`;
}
