import type { Page } from 'playwright-core';

const frameMs = 1_000 / 60;
/** Pixels of a turn of the wheel: more rows than are in view. */
const turn = 900;
/** Seven turns ahead, three back; after so many turns, the other way. */
const turnsAround = 2_000;

/** Turns the wheel above the list of records, as fast as frames come. Returns the times between frames, in milliseconds. */
export async function scroll(page: Page, goesOn: (turns: number) => boolean): Promise<readonly number[]> {
  const box = await page.getByRole('grid', { name: 'Records' }).boundingBox();
  if (box === null) throw new Error('the table is not in view');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(`
    window.frames_ = [];
    window.isScrolling = true;
    let last = performance.now();
    const next = (now) => {
      if (window.frames_.length < 100_000) window.frames_.push(now - last);
      last = now;
      if (window.isScrolling) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);`);
  for (let turns = 0; goesOn(turns); turns += 1) {
    const ahead = Math.floor(turns / turnsAround) % 2 === 0 ? turn : -turn;
    await page.mouse.wheel(0, turns % 10 < 7 ? ahead : -ahead);
    await page.waitForTimeout(frameMs);
  }
  return page.evaluate<number[]>('(window.isScrolling = false, window.frames_.splice(0).slice(1))');
}
