/**
 * For `node --import`: SIGUSR2 makes the process look as after a sleep of its machine. The wall clock is ten minutes ahead, the
 * monotonic clock and the timers are not. Then it prints `slept`.
 */
let aheadMs = 0;
const sleepMs = 600_000;
const realDate = Date;
const now = () => realDate.now() + aheadMs;

globalThis.Date = new Proxy(realDate, {
  get: (target, member) => (member === 'now' ? now : Reflect.get(target, member)),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
});

process.on('SIGUSR2', () => {
  aheadMs += sleepMs;
  process.stdout.write('slept\n');
});
