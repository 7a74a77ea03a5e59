import type { Fake } from '../../lib/destinations/fake.ts';

/**
 * Resolves when the operation has been called so often, before its caller can have read the answer: what a test does then
 * happens between this call and the next one.
 */
export async function called(fake: Fake, operation: string, times = 1): Promise<void> {
  while ((fake.calls().get(operation) ?? 0) < times) await new Promise((resolve) => setImmediate(resolve));
}
