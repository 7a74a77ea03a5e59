import { z } from 'zod';
import { type Figure, median } from '../../measure/figure.ts';
import { addressed } from '../../measure/http-load.ts';
import { within } from '../../measure/rounds.ts';
import type { Bench } from '../../section.ts';
import { namespace } from './fill.ts';

const statementMsMax = 1_000;
const writersShare = 0.8;
const connections = 4;
const limitMs = 600_000;
const writeSeconds = 4;
const loaded = z.object({ perSecond: z.number(), count: z.number(), failed: z.number() });
const swept = z.object({ isDone: z.boolean(), statementMs: z.number(), statement: z.string() });

/**
 * A batch that marks many associations, in the sweep as it runs in production, beside writes of secrets over HTTP. No worker takes the
 * operations, so the writes compete with the marking alone.
 */
export async function measureBulk(bench: Bench, count: number): Promise<readonly Figure[]> {
  const { stage } = bench;
  const api = await stage.start('api', addressed);
  const load = await stage.start('load', z.object({}), {
    address: api.ready.address,
    connections,
    count: 1_000,
    method: 'POST',
    path: '/v1/secret/data/bulk/',
    headers: { 'content-type': 'application/json', 'x-service-token': stage.rootToken },
    body: JSON.stringify({ data: { value: 'a' } }),
  });
  const sweeper = await stage.start('sweeper', z.object({}));
  const writes = async () => (await load.ask(String(writeSeconds), loaded)).perSecond;
  try {
    await writes();
    const alone = [await writes(), await writes()];
    await stage.write(`${namespace}/sys/sync/batches`, { action: 'force', all: true, limit: Math.ceil(count / 2) });
    await stage.write('sys/sync/batches', { action: 'force', all: true, limit: Math.floor(count / 2) });
    const beside: number[] = [];
    let [isOver, statementMs, statement] = [false, 0, ''];
    const began = performance.now();
    const marking = within(limitMs, mark());
    while (!isOver) beside.push(await writes());
    await marking;
    const seconds = (performance.now() - began) / 1_000;
    bench.note(`marked ${count} associations in ${seconds.toFixed(0)} s; longest statement: ${statement}`);
    const ratio = median(beside) / median(alone);
    return [
      {
        what: `Longest statement of a batch of ${count}`,
        value: statementMs,
        unit: 'ms',
        target: { bound: statementMsMax },
      },
      {
        what: 'KV writes beside the batch; bare: without it',
        value: median(beside),
        unit: '1/s',
        compared: { baseline: median(alone), ratio },
        target: { share: writersShare },
      },
    ];
    async function mark() {
      for (;;) {
        const round = await sweeper.ask('round', swept);
        if (round.statementMs > statementMs) [statementMs, statement] = [round.statementMs, round.statement];
        if (round.isDone) break;
      }
      isOver = true;
    }
  } finally {
    await Promise.all([api.end(), load.end(), sweeper.end()]);
  }
}
