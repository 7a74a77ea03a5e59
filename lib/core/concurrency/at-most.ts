/** Waits for the work to end, up to a limit in milliseconds. */
export async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, waited]).finally(() => clearTimeout(timer));
}
