/**
 * Loaded into a process by `--import`: prints on SIGUSR2 the longest time of the processor, in milliseconds, that the main thread
 * used between two looks of a timer since it was asked last. Time that the machine gave to others does not count.
 */
const lookEveryMs = 2;
let longest = 0;
let before = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longest = Math.max(longest, (user + system) / 1_000);
}, lookEveryMs).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(`blocked ${longest}\n`);
  longest = 0;
});
