import { ConfigError } from '../lib/core/config.ts';

/** Something that runs until a signal comes. */
export interface Running {
  close(): Promise<void>;
}

/**
 * Runs a process until SIGINT or SIGTERM, then closes it; a second signal ends it at once. What fails at the start is told
 * in one line, with the stack only where it helps.
 */
export async function runUntilSignal(start: () => Promise<Running>): Promise<void> {
  let stopping = false;
  let wake = () => {};
  const signalled = new Promise<void>((resolve) => {
    wake = resolve;
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      wake();
    });
  }
  try {
    const running = await start();
    await signalled;
    await running.close();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`keyferry: ${explain(error)}\n`);
    process.exit(1);
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error) return error.stack ?? error.message;
  return String(error);
}
