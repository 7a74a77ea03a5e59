import { freePort } from '#infra/local/child.ts';
import type { Ground } from '../ground.ts';
import type { Started } from '../processes.ts';

/** A worker whose counters can be read. */
export interface MeasuredWorker extends Started {
  /** The sum of a counter over its lines that hold this text, such as `outcome="busy"`. */
  counted(name: string, holding: string): Promise<number>;
}

export async function startMeasuredWorker(
  ground: Ground,
  changes: Readonly<Record<string, string>> = {},
): Promise<MeasuredWorker> {
  const port = String(await freePort());
  const started = await ground.start('worker', { ...changes, KEYFERRY_METRICS_PORT: port });
  return {
    ...started,
    async counted(name, holding) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(holding));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
}
