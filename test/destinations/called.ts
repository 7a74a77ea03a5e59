import type { Fake } from '#destinations/fake.ts';

/**
 * Resolves once the operation has been called this often, before its caller can have read the answer, so that a test can act
 * between this call and the next one.
 */
export async function called(fake: Fake, operation: string, times = 1): Promise<void> {
  while ((fake.calls().get(operation) ?? 0) < times) await new Promise((resolve) => setImmediate(resolve));
}
