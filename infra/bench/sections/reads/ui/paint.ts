import type { Figure } from '#infra/bench/measure/figure.ts';
import { compare } from '#infra/bench/measure/rounds.ts';
import { serveBare } from './bare.ts';
import type { Visit } from './visit.ts';

/** Bits in a second as bytes, and milliseconds, of a slow mobile network. */
const slow = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const open = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
const slowdown = 4;
const limitMs = 120_000;

/** The largest paint of the overview, beside that of a static page with one heading, on this machine and on a slow one. */
export async function paints(visit: Visit, address: string, rounds: number): Promise<readonly Figure[]> {
  const server = await serveBare();
  const bare = () => paint(visit, server.address);
  const ours = () => paint(visit, `${address}/ui/`);
  try {
    for (const work of [ours, bare]) await work();
    const local = await compare(rounds, limitMs, ours, bare);
    await visit.protocol.send('Network.enable');
    await visit.protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
    await visit.protocol.send('Network.emulateNetworkConditions', slow);
    await visit.protocol.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const far = await compare(rounds, limitMs, ours, bare);
    return [
      figure('Largest paint of the overview; bare: a static page', local, 300),
      figure('  over a slow network, at a quarter of the speed, nothing cached', far, 2_000),
    ];
  } finally {
    await visit.protocol.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await visit.protocol.send('Network.emulateNetworkConditions', open);
    await visit.protocol.send('Network.setCacheDisabled', { cacheDisabled: false });
    server.close();
  }
}

const figure = (what: string, { value, ...compared }: Awaited<ReturnType<typeof compare>>, bound: number): Figure => ({
  what,
  value,
  unit: 'ms',
  compared,
  target: { bound },
});

/** Milliseconds from the begin of the navigation to the largest paint so far, once the page has asked for all it needs. */
async function paint({ page }: Visit, url: string): Promise<number> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      const last = list.getEntries().at(-1);
      setTimeout(() => resolve(last.startTime), 300);
    }).observe({ type: 'largest-contentful-paint', buffered: true }))`,
  );
}
