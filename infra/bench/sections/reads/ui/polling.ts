import type { Browser } from 'playwright-core';
import { type Figure, median } from '#infra/bench/measure/figure.ts';
import type { Server } from '#infra/bench/measure/http-load.ts';
import type { Bench } from '#infra/bench/section.ts';
import { openVisit, type Visit } from './visit.ts';

const pages = 10;
const settleMs = 3_000;

/** How long a change takes to be seen in the overview. */
export async function changes({ stage, quick }: Bench, { page }: Visit, { ready }: Server): Promise<Figure> {
  await page.goto(`${ready.address}/ui/`);
  const paused = page.getByText('The sync is paused').first();
  const taken: number[] = [];
  for (let round = 0; round < (quick ? 2 : 5); round += 1) {
    await page.waitForTimeout(settleMs / 10);
    const began = performance.now();
    await stage.write('sys/sync/config', { disabled: true });
    await paused.waitFor();
    taken.push(performance.now() - began);
    await stage.write('sys/sync/config', { disabled: false });
    await paused.waitFor({ state: 'detached' });
  }
  return { what: 'From a change to the screen', value: median(taken), unit: 'ms', target: { bound: 2_500 } };
}

/**
 * The processor time that open pages take from the API, as the share of its reads of secrets that it can make no longer: each page takes
 * so many reads' time.
 */
export async function openPages(bench: Bench, browser: Browser, api: Server): Promise<readonly Figure[]> {
  const { stage, quick } = bench;
  const seconds = quick ? 5 : 20;
  const each = await cpuOfRead(bench, api, quick ? 200 : 2_000);
  const before = await spent(api, seconds);
  const visits: Visit[] = [];
  for (let page = 0; page < pages; page += 1) visits.push(await openVisit(browser, api.ready.address, stage.rootToken));
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const withPages = await spent(api, seconds);
  for (const visit of visits) await visit.close();
  const perSecond = Math.max(0, withPages - before) / seconds;
  return [
    { what: `Share of the API that ${pages} open pages take`, value: perSecond / 10, unit: '%', target: { bound: 2 } },
    { what: '  reads of a secret that take the same time, in a second', value: perSecond / each, unit: '1/s' },
  ];
}

/** Milliseconds of processor time of the API in so many seconds. */
async function spent(api: Server, seconds: number): Promise<number> {
  const before = await api.cpuMs();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  return (await api.cpuMs()) - before;
}

async function cpuOfRead({ stage }: Bench, api: Server, count: number): Promise<number> {
  await stage.write('secret/data/ui/read', { data: { v: '1' } });
  const read = async () => {
    const reply = await fetch(`${api.ready.address}/v1/secret/data/ui/read`, {
      headers: { 'x-service-token': stage.rootToken },
    });
    await reply.arrayBuffer();
  };
  for (let at = 0; at < count / 4; at += 1) await read();
  const before = await api.cpuMs();
  for (let at = 0; at < count; at += 1) await read();
  return ((await api.cpuMs()) - before) / count;
}
