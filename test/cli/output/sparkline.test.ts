import { expect, test } from 'vitest';
import { sparkline } from '#cli/output/sparkline.ts';

test.each([
  [[0, 0], '▁▁'],
  [[0, 1, 1_000], '▁▂█'],
  [[undefined, 4, undefined, 8], ' ▅ █'],
  [[], ''],
])('%j is %s', (values, line) => {
  expect(sparkline(values)).toBe(line);
});
