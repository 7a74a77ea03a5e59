/** Time of the processor, in milliseconds, that a piece of work took in this thread; what others took of the machine does not count. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The least of some tries: the compiler and the garbage collector are at work in most of them. */
export const leastProcessorMs = (work: () => void, tries = 4): number =>
  Math.min(...Array.from({ length: tries }, () => processorMs(work)));
