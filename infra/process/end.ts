import { setTimeout as pause } from 'node:timers/promises';

/** Work of Node's thread pool: files, host names, cryptography, compression. */
const ofPool = /^(?:FSReq|Get(?:Addr|Name)Info|Zlib)|Request$/i;
const poolMsMax = 1_000;
const lookMs = 20;

/**
 * Ends this process reliably. `process.exit` waits for the threads of Node's pool, and forever if one of them is in a call of the operating
 * system that does not return (a pipe without a writer, a file server or name server that is down). If a thread is still busy
 * after a moment, the process kills itself.
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
  process.stderr.write('keyferry: a call of the operating system does not return; the process kills itself\n');
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}
