import { readConfig } from '../lib/core/config.ts';
import { explain } from './explain.ts';
import { stopRequest } from './stop-request.ts';

/** Something that runs until a signal comes. */
export interface Running {
  close(): Promise<void>;
}

/** Beyond the time that work in hand is given: for putting jobs back and for servers of our own. */
const marginMs = 20_000;
/** Nobody is told of a stop that is over at once. */
const tellAfterMs = 1_000;

/**
 * Runs a process until it is asked to end, then closes it. What fails at the start is told in one line, with the stack only
 * where it helps.
 */
export async function runUntilSignal(start: () => Promise<Running>): Promise<void> {
  const asked = stopRequest();
  try {
    const running = await start();
    await asked;
    await closeInTime(running, readConfig().KEYFERRY_SHUTDOWN_MS_MAX + marginMs);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`keyferry: ${explain(error)}\n`);
    process.exit(1);
  }
}

/** A close that never ended would leave the process to SIGKILL, and whoever started it without a word. */
async function closeInTime(running: Running, limitMs: number): Promise<void> {
  const telling = setTimeout(() => {
    process.stderr.write('keyferry: ending the work in hand; a second signal ends it at once\n');
  }, tellAfterMs);
  const limit = setTimeout(() => {
    process.stderr.write(`keyferry: the work in hand did not end in ${limitMs} ms and is left\n`);
    process.exit(1);
  }, limitMs);
  await running.close();
  clearTimeout(telling);
  clearTimeout(limit);
}
