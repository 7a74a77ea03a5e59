/** The CPU time of this thread for a piece of work, in milliseconds. Other processes on the machine do not count. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The least of several tries: most of them include work of the compiler and the garbage collector. */
export const leastProcessorMs = (work: () => void, tries = 4): number =>
  Math.min(...Array.from({ length: tries }, () => processorMs(work)));
