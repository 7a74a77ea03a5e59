import { setFlagsFromString } from 'node:v8';

const lookMs = 5_000;
/** Share of one processor. Above it a process is so busy that collecting more often would slow it down. */
const busyShare = 0.5;
/** Growth of the live heap, in per cent, before the old generation is collected. 0: V8 decides, up to 300. */
const atRest = 40;
const busy = 0;

/** How far the heap may grow before it is collected, for a process that recently used this share of a processor. */
export const growingPercent = (cpuShare: number): number => (cpuShare > busyShare ? busy : atRest);

/**
 * Keeps the heap small while the process is idle: V8 would let it grow to several times the live data, as if it were alone
 * on the machine. A busy process is not affected. Runs until the process ends.
 */
export function keepHeapSmall(): void {
  let before = { cpu: process.cpuUsage(), at: performance.now() };
  const look = () => {
    const { user, system } = process.cpuUsage(before.cpu);
    const now = performance.now();
    const share = (user + system) / 1_000 / Math.max(1, now - before.at);
    before = { cpu: process.cpuUsage(), at: now };
    // V8 reads the flag whenever it schedules the next collection.
    setFlagsFromString(`--heap-growing-percent=${growingPercent(share)}`);
  };
  setFlagsFromString(`--heap-growing-percent=${atRest}`);
  setInterval(look, lookMs).unref();
}
