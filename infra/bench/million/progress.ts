import type { Terminal } from '../../show/terminal.ts';

/** Reports progress, at most every few seconds. */
export type Report = (what: string, done: number, all: number) => void;

const everyMs = 5_000;

/** The remaining time is estimated from the pace of the last few seconds. */
export function progress(terminal: Terminal): Report {
  let before = { what: '', done: 0, at: 0 };
  return (what, done, all) => {
    const now = performance.now();
    if (what !== before.what) before = { what, done: 0, at: now };
    if (now - before.at < everyMs && done < all) return;
    const perSecond = ((done - before.done) * 1_000) / Math.max(1, now - before.at);
    before = { what, done, at: now };
    const share = `${((100 * done) / all).toFixed(0)} %`.padStart(5);
    const left = done < all && perSecond > 0 ? `, ${Math.round((all - done) / perSecond)} s left` : '';
    terminal.line(
      terminal.styled('dim', `  ${share}  ${what}: ${done} of ${all}, ${Math.round(perSecond)} a second${left}`),
    );
  };
}
