import { type Figure, percentile } from '#infra/bench/measure/figure.ts';
import { heapOf, type Visit } from './visit.ts';

const mebibyte = 1_048_576;
const frameMsMax = 1_000 / 60;
const betweenKeysMs = 200;

/** How the table of all records feels: the longest reply to a key or press, the frames while it scrolls, and its memory. */
export async function table(visit: Visit, address: string, scrolls: number): Promise<readonly Figure[]> {
  const { page } = visit;
  await page.goto(`${address}/ui/records`);
  const rows = page.getByRole('grid', { name: 'Records' }).locator('[data-index]');
  await rows.first().waitFor();
  const interaction = await interactions(visit);
  await scroll(visit, scrolls);
  const before = await heapOf(visit);
  const frames = await scroll(visit, scrolls);
  const after = await heapOf(visit);
  return [
    {
      what: 'Longest interaction with the table of all records',
      value: interaction,
      unit: 'ms',
      target: { bound: 100 },
    },
    { what: 'Frame while it scrolls, p95', value: percentile(frames, 0.95), unit: 'ms', target: { bound: 20 } },
    { what: '  rows in the document', value: await rows.count(), unit: '', target: { bound: 60 } },
    { what: 'Heap after scrolling', value: after / mebibyte, unit: 'MiB', target: { bound: 30 } },
    {
      what: '  growth from one half of the scrolling to the other',
      value: (after - before) / mebibyte,
      unit: 'MiB',
      target: { bound: 3 },
    },
  ];
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

/** The times between frames while the wheel turns, in milliseconds. */
async function scroll({ page }: Visit, steps: number): Promise<readonly number[]> {
  const box = await page.getByRole('grid', { name: 'Records' }).boundingBox();
  if (box === null) throw new Error('the table is not in view');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(`
    window.frames_ = [];
    window.isScrolling = true;
    let last = performance.now();
    const next = (now) => { window.frames_.push(now - last); last = now; if (window.isScrolling) requestAnimationFrame(next); };
    requestAnimationFrame(next);`);
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.wheel(0, step % 10 < 7 ? 900 : -900);
    await page.waitForTimeout(frameMsMax);
  }
  return page.evaluate<number[]>('(window.isScrolling = false, window.frames_.slice(1))');
}
