import { setTimeout as pause } from 'node:timers/promises';

/** Work of Node's thread pool: files, names of hosts, cryptography, compression. */
const ofPool = /^(?:FSReq|Get(?:Addr|Name)Info|Zlib)|Request$/i;
const poolMsMax = 1_000;
const lookMs = 20;

/**
 * Ends this process for certain. `process.exit` waits for the threads of Node's pool, and one that is in a call of the operating
 * system that does not come back (a pipe that nobody writes, a server of files or names that is gone) would be waited for for
 * ever. Where there is still one after a moment, the process kills itself.
 */
export async function endProcess(code: number): Promise<never> {
  const deadline = performance.now() + poolMsMax;
  while (process.getActiveResourcesInfo().some((name) => ofPool.test(name))) {
    if (performance.now() > deadline) return kill();
    await pause(lookMs);
  }
  process.exit(code);
}

function kill(): Promise<never> {
  process.stderr.write('keyferry: a call of the operating system does not come back; the process kills itself\n');
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}
