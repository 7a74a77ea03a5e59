import type { Described } from './operations.ts';
import { filled } from './samples.ts';

const segments = [
  '..',
  '.',
  '%2e%2e',
  '%2E',
  'a%2fb',
  'a%2f..%2fb',
  'a/../b',
  'a//b',
  'a.',
  '-a',
  'a%20b',
  '%00',
  'a%0d%0ab',
  '%ff',
  '%zz',
  '%ed%a0%80',
  '%f0%9f%98%80',
  '%e2%80%ae',
  '__proto__',
  'constructor',
  '{name}',
  '+',
  '*',
  'a;b',
  'a%3fb',
  'a%5cb',
  'x'.repeat(3_000),
  '%c3%bc'.repeat(600),
];

/** Variants of the operation's path with something other than a name in it or around it. */
export function badPaths({ path }: Described): readonly string[] {
  const plain = filled(path);
  const within = path.includes('{') ? segments.map((segment) => filled(path, segment)) : [];
  return [
    ...within,
    `${plain}/`,
    `${plain}//`,
    `${plain}.`,
    `/${plain}`,
    `./${plain}`,
    `x/../${plain}`,
    `${plain}/%2e%2e`,
  ];
}
