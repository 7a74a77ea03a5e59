import type { Page } from 'playwright-core';
import { type Figure, percentile } from '#infra/bench/measure/figure.ts';
import { compare } from '#infra/bench/measure/rounds.ts';
import type { Bench } from '#infra/bench/section.ts';
import { serveBare } from './bare.ts';
import { scroll } from './scroll.ts';
import { heapOf, type Visit } from './visit.ts';

const mebibyte = 1_048_576;
const betweenKeysMs = 200;
const limitMs = 120_000;
/** As many as the turns of a round scroll by. */
const bareRows = 2_000;

/** How the table of all records feels: the longest reply to a key or press, the frames while it scrolls, and its memory. */
export async function table(
  { quick, minutes, report }: Bench,
  visit: Visit,
  address: string,
): Promise<readonly Figure[]> {
  const { page } = visit;
  const open = async () => {
    await page.goto(`${address}/ui/records`);
    await page.getByRole('grid', { name: 'Records' }).locator('[data-index]').first().waitFor();
  };
  await open();
  const interaction = await interactions(visit);
  report('frames');
  const frames = await frameTimes(page, open, quick ? 2 : 5, quick ? 50 : 200);
  report('memory');
  await open();
  const turns = quick ? 100 : 1_000;
  await scroll(page, minutes === undefined ? (done) => done < turns : within(1));
  const before = await heapOf(visit);
  await scroll(page, minutes === undefined ? (done) => done < turns : within(minutes - 1));
  const after = await heapOf(visit);
  return [
    {
      what: 'Longest interaction with the table of all records',
      value: interaction,
      unit: 'ms',
      target: { bound: 100 },
    },
    frames,
    {
      what: '  rows in the document',
      value: await page.getByRole('grid', { name: 'Records' }).locator('[data-index]').count(),
      unit: '',
      target: { bound: 60 },
    },
    {
      what: `Heap after ${minutes === undefined ? `${2 * turns} turns of the wheel` : `${minutes} minutes of scrolling`}`,
      value: after / mebibyte,
      unit: 'MiB',
      target: { bound: 30 },
    },
    {
      what: `  growth since ${minutes === undefined ? 'the first half' : 'the first minute'}`,
      value: (after - before) / mebibyte,
      unit: 'MiB',
      target: { bound: 3 },
    },
  ];
}

/** Goes on for so many minutes from its first question on. */
function within(minutes: number): () => boolean {
  let until = 0;
  return () => {
    until ||= Date.now() + minutes * 60_000;
    return Date.now() < until;
  };
}

/**
 * The frames of the table, beside those of a static page of as many plain rows that is scrolled the same way, in turns. Two processors that draw
 * without a graphics card, and turn the wheel besides, miss frames of the static page too: there, the table may miss hardly more.
 */
async function frameTimes(page: Page, open: () => Promise<void>, rounds: number, turns: number): Promise<Figure> {
  const server = await serveBare(bareRows);
  const p95 = async () => percentile(await scroll(page, (done) => done < turns), 0.95);
  const ours = () => open().then(p95);
  const bare = () => page.goto(server.address).then(p95);
  try {
    const { value, ...compared } = await compare(rounds, limitMs, ours, bare);
    return {
      what: 'Frame while it scrolls, p95; bare: a static page',
      value,
      unit: 'ms',
      compared,
      target: { bound: 20, orRatio: 1.25 },
    };
  } finally {
    server.close();
  }
}

/** The longest time from a key or a press to the next frame, as the browser reports it; 16 ms when none was longer. */
async function interactions({ page }: Visit): Promise<number> {
  await page.evaluate(`
    window.longest = 16;
    new PerformanceObserver((list) => {
      for (const { duration, interactionId } of list.getEntries()) if (interactionId > 0) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: false });`);
  const grid = page.getByRole('grid', { name: 'Records' });
  await grid.locator('[data-index="0"]').focus();
  for (const key of ['ArrowDown', 'Space', 'PageDown', 'End', 'Home', 'ArrowDown', 'Space']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(betweenKeysMs);
  }
  await grid.locator('[data-index="1"] input').waitFor();
  await grid.locator('[data-index="1"]').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return page.evaluate<number>('window.longest');
}
