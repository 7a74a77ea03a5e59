import { readConfig } from '#core/config.ts';
import { endProcess } from './end.ts';
import { explain } from './explain.ts';
import { keepHeapSmall } from './heap.ts';
import { stopRequest } from './stop-request.ts';

/** A process that runs until a signal arrives. */
export interface Running {
  /** Resolves when it cannot continue. Absent if it always can. */
  readonly failed?: Promise<Error>;
  /** The reaction to SIGHUP. Absent: SIGHUP ends the process. */
  hangup?(): void;
  close(): Promise<void>;
}

/** Time beyond `KEYFERRY_SHUTDOWN_MS_MAX`, in milliseconds, to put jobs back and to end its own servers. */
const usualMarginMs = 20_000;
/** A stop that takes less than this is not reported. */
const reportAfterMs = 1_000;

/**
 * Runs a process until it is asked to end, then closes it. A failure at the start is reported in one line, with the stack only
 * where it helps. Closing may take `marginMs` longer than the time for work in flight; then the process exits anyway.
 */
export async function runUntilSignal(start: () => Promise<Running>, marginMs = usualMarginMs): Promise<void> {
  let hangup: (() => void) | undefined;
  const asked = stopRequest(() => hangup);
  keepHeapSmall();
  // The time starts now, also for a process that is still starting.
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

/** A close that hangs would need SIGKILL, and the operator would see no reason. */
function endInTime(limitMs: number): void {
  setTimeout(() => {
    process.stderr.write('keyferry: ending the work in flight; a second signal ends it at once\n');
  }, reportAfterMs).unref();
  setTimeout(() => {
    process.stderr.write(`keyferry: the work in flight did not end in ${limitMs} ms and is abandoned\n`);
    void endProcess(1);
  }, limitMs);
}
