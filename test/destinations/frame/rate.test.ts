import { expect, test } from 'vitest';
import { publishedRate } from '#destinations/frame/rate.ts';
import { definitions } from '#destinations/index.ts';

/** The published limits of the providers: calls per interval in seconds. Each definition links to its source. */
const published: Readonly<Record<string, readonly [calls: number, seconds: number]>> = {
  'cloud-a-sm': [50, 1],
  'cloud-b-kv': [300, 10],
  'cloud-c-sm': [600, 60],
  // 900 points, 5 for a write.
  'repo-host': [180, 60],
  'deploy-host-project': [120, 60],
  'workspace-vars': [30, 1],
};

test('a limit of 300 calls in 10 seconds is 30 a second and 30 at once', () => {
  expect(publishedRate(300, 10)).toEqual({ callsPerSecond: 30, burst: 30 });
});

test.each(definitions)('$type begins at the published limit, with a tenth of its calls at once', (definition) => {
  const [calls = 0, seconds = 0] = published[definition.type] ?? [];
  const { callsPerSecond, burst } = definition.rate;
  expect(callsPerSecond).toBeCloseTo(calls / seconds, 10);
  expect(burst).toBeLessThanOrEqual(calls / 10);
  expect(burst).toBeGreaterThanOrEqual(1);
});
