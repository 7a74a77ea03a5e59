import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { keepHeapSmall } from '../../process/heap.ts';
import { cpuQuestion, garbageQuestion, memoryQuestion } from './process.ts';

/** What a process of the bench offers its parent. */
export interface Served {
  /** Reported once it is ready. */
  readonly ready: object;
  answer?(question: string): Promise<object>;
  close(): Promise<void>;
}

/**
 * Runs a process that was started by `startProcess`: reads its parameters, reports when it is ready, answers questions, and ends
 * when its parent disconnects or dies.
 */
export async function serveParent<Parameters extends z.ZodType>(
  parameters: Parameters,
  start: (given: z.output<Parameters>) => Promise<Served>,
): Promise<void> {
  keepHeapSmall();
  const served = await start(parameters.parse(JSON.parse(process.argv[2] ?? '{}')));
  process.on('message', async (question) => {
    const asked = z.string().parse(question);
    send(known[asked]?.() ?? (await served.answer?.(asked)) ?? {});
  });
  process.once('disconnect', () => {
    void served.close().finally(() => process.exit(0));
  });
  send(served.ready);
}

const known: Readonly<Record<string, () => object>> = {
  [cpuQuestion]: () => ({ cpuMs: cpuMs() }),
  [memoryQuestion]: () => process.memoryUsage(),
  [garbageQuestion]: () => {
    collectGarbage();
    return {};
  },
};

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this process cannot collect its garbage');
  collect();
}

/** Processor time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function send(answer: object): void {
  // The channel closes when the parent dies, and then so does this process.
  if (process.connected) process.send?.(answer);
}
