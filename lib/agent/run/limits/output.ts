import type { Readable } from 'node:stream';
import type { Command } from '../command.ts';

/** How long the output of a command that has ended may stay silent, in milliseconds, and how much of it is still read: a pipe holds less. */
const silentMsMax = 5_000;
const bytesAfterEndMax = 1_048_576;

/**
 * Reads the output of a command to its end. A process that has left the group of the command may hold it open, or write on: what comes long after the
 * command is not waited for. `end` settles when the command has ended.
 */
export async function readOutput(stream: Readable | null, output: Command['output'], end: Promise<unknown>) {
  if (stream === null) return;
  let timer: NodeJS.Timeout | undefined;
  let left = Number.POSITIVE_INFINITY;
  const listen = () => {
    if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(() => stream.destroy(), silentMsMax);
  };
  const onEnd = () => {
    left = bytesAfterEndMax;
    clearTimeout(timer);
    listen();
  };
  end.then(onEnd, onEnd);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      left -= piece.length;
      if (left < 0) break;
      // Output is read on even when it cannot be sent: the engine must not hang on a full pipe.
      await output(piece).catch(() => {});
      listen();
    }
  } catch (error) {
    if (!stream.destroyed) throw error;
  } finally {
    clearTimeout(timer);
  }
}
