/** Waits for the end of the work, but no longer than this. */
export async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, waited]).finally(() => clearTimeout(timer));
}
