import { readConfig } from '../../lib/core/config.ts';
import { endProcess } from './end.ts';
import { explain } from './explain.ts';
import { keepHeapSmall } from './heap.ts';
import { stopRequest } from './stop-request.ts';

/** Something that runs until a signal comes. */
export interface Running {
  /** Resolves when it cannot go on. Absent: it always can. */
  readonly failed?: Promise<Error>;
  /** What SIGHUP is for. Absent: it ends the process. */
  hangup?(): void;
  close(): Promise<void>;
}

/** Beyond the time that work in flight is given: for putting jobs back and for servers of our own. */
const marginMs = 20_000;
/** A stop that is over at once is not reported. */
const reportAfterMs = 1_000;

/**
 * Runs a process until it is asked to end, then closes it. What fails at the start is reported in one line, with the stack only
 * where it helps.
 */
export async function runUntilSignal(start: () => Promise<Running>): Promise<void> {
  let hangup: (() => void) | undefined;
  const asked = stopRequest(() => hangup);
  keepHeapSmall();
  // The time runs from then on, also for a process that is still starting.
  void asked.then(() => endInTime(readConfig().KEYFERRY_SHUTDOWN_MS_MAX + marginMs));
  try {
    const running = await start();
    hangup = running.hangup;
    const failure = await Promise.race([asked, ...(running.failed === undefined ? [] : [running.failed])]);
    if (failure !== undefined) {
      process.stderr.write(`keyferry: ${explain(failure)}\n`);
      endInTime(readConfig().KEYFERRY_SHUTDOWN_MS_MAX + marginMs);
    }
    await running.close();
    await endProcess(failure === undefined ? 0 : 1);
  } catch (error) {
    process.stderr.write(`keyferry: ${explain(error)}\n`);
    await endProcess(1);
  }
}

/** A close that never ended would leave the process to SIGKILL, and whoever started it without a word. */
function endInTime(limitMs: number): void {
  setTimeout(() => {
    process.stderr.write('keyferry: ending the work in flight; a second signal ends it at once\n');
  }, reportAfterMs).unref();
  setTimeout(() => {
    process.stderr.write(`keyferry: the work in flight did not end in ${limitMs} ms and is left\n`);
    void endProcess(1);
  }, limitMs);
}
