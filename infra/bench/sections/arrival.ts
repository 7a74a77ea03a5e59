import { z } from 'zod';
import { openSweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog as log } from '#core/log/log.ts';
import { loadFake } from '#destinations/load.ts';
import { sweepRegularly } from '../../process/sweeping.ts';
import { associate } from '../baseline/associations.ts';
import { percentile } from '../measure/figure.ts';
import { until, within } from '../measure/rounds.ts';
import type { Bench, Section } from '../section.ts';

const type = 'deploy-host-project';
const perSecond = 100;
const secrets = 200;
/** Writes before the measured ones. */
const warmUp = 200;
const sweepMs = 1_000;
const limitMs = 60_000;

const arrivals = z.object({ seen: z.array(z.tuple([z.string(), z.number()])) });

/** From the request that writes a secret to the put at the destination, at a steady pace. */
export const arrivalSection: Section = {
  name: 'arrival',
  title: `From write to destination at ${perSecond} writes/s`,
  async measure(bench) {
    const latencies = await measureArrivals(bench, bench.quick ? 300 : 1_000);
    return [
      {
        what: 'KV write to put at the destination, p50',
        value: percentile(latencies, 0.5),
        unit: 'ms',
        target: { bound: 30 },
      },
      {
        what: 'KV write to put at the destination, p99',
        value: percentile(latencies, 0.99),
        unit: 'ms',
        target: { bound: 200 },
      },
    ];
  },
};

async function measureArrivals(bench: Bench, count: number): Promise<readonly number[]> {
  const { stage } = bench;
  const fake = await (await loadFake(type))();
  const { destination } = fake;
  const associations = await associate(stage, { type, destination, name: 'arrival', destinations: 1, secrets });
  const worker = await stage.start('worker', z.object({}), { type, driver: 'stand-in' });
  const api = await stage.start('api', z.object({ address: z.string() }));
  // On an overloaded machine a write may not be queued in time; the sweep queues it then, as it always does.
  const endSweep = await sweepRegularly(
    await openSweeper({ config: readConfig(stage.environment), log }),
    sweepMs,
    log,
  );
  try {
    await associations.queue.resume();
    await within(
      limitMs,
      until(async () => (await associations.outOfDate()) === 0),
    );
    bench.report(`${warmUp + count} writes`);
    const sent = await writeAll(`${api.ready.address}/v1/secret/data/arrival`, stage.rootToken, warmUp + count);
    await within(
      limitMs,
      until(async () => (await associations.outOfDate()) === 0),
    );
    const { seen } = await worker.ask('arrivals', arrivals);
    return latenciesOf(sent, new Map(seen), count);
  } finally {
    await Promise.all([endSweep(), worker.end(), api.end(), associations.close(), fake.close()]);
  }
}

/**
 * Writes at a fixed pace without waiting for earlier writes, except those of the same secret, since otherwise an older value could
 * win. Returns when each was due, by the clock of the machine.
 */
async function writeAll(address: string, token: string, count: number): Promise<readonly number[]> {
  const began = performance.now();
  const dueTimes: number[] = [];
  const answers: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const waitMs = began + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    dueTimes.push(performance.timeOrigin + performance.now());
    const before = answers[index - secrets] ?? Promise.resolve();
    answers.push(before.then(() => writeOne(`${address}/${index % secrets}`, token, `arrival-${index}`)));
  }
  await Promise.all(answers);
  return dueTimes;
}

async function writeOne(url: string, token: string, value: string): Promise<void> {
  const headers = { 'x-service-token': token, 'content-type': 'application/json' };
  const body = JSON.stringify({ data: { value } });
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(limitMs) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a write failed: ${answer.status} ${text}`);
}

/**
 * A value that was replaced before it was pushed counts as arrived with its successor.
 * @throws Error when none of them arrived
 */
function latenciesOf(sent: readonly number[], seen: ReadonlyMap<string, number>, count: number): readonly number[] {
  return sent.slice(-count).map((sentAt, index) => {
    for (let later = sent.length - count + index; later < sent.length; later += secrets) {
      const arrivedAt = seen.get(`arrival-${later}`);
      if (arrivedAt !== undefined) return arrivedAt - sentAt;
    }
    throw new Error(`write ${index} of ${count} did not arrive`);
  });
}
