import { setFlagsFromString } from 'node:v8';

const lookMs = 5_000;
/** Of one processor. Above, a process works so much that collecting more often would slow it down. */
const busyShare = 0.5;
/** Per cent of what lives that may be added before the old generation is collected. 0: as V8 likes, up to 300. */
const atRest = 40;
const busy = 0;

/** How far the heap may grow before it is collected, for a process that used this share of a processor lately. */
export const growingPercent = (cpuShare: number): number => (cpuShare > busyShare ? busy : atRest);

/**
 * Keeps the heap small while there is little to do: V8 then lets it grow to several times of what lives, as if it were alone
 * on the machine. A busy process is left alone. Goes on until the process ends.
 */
export function keepHeapSmall(): void {
  let before = { cpu: process.cpuUsage(), at: performance.now() };
  const look = () => {
    const { user, system } = process.cpuUsage(before.cpu);
    const now = performance.now();
    const share = (user + system) / 1_000 / Math.max(1, now - before.at);
    before = { cpu: process.cpuUsage(), at: now };
    // V8 reads it whenever it decides about the next collection.
    setFlagsFromString(`--heap-growing-percent=${growingPercent(share)}`);
  };
  setFlagsFromString(`--heap-growing-percent=${atRest}`);
  setInterval(look, lookMs).unref();
}
