import { useEffect, useState } from 'preact/hooks';
import { relative } from './relative.ts';

const tickMs = 10_000;
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The times that are shown. One timer moves them all: a table brings and takes many while it scrolls. */
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function follow(tick: () => void): () => void {
  shown.add(tick);
  timer ??= setInterval(() => {
    for (const one of shown) one();
  }, tickMs);
  return () => {
    shown.delete(tick);
    if (shown.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How long ago or ahead; the exact time on a press. */
export function Time({ at }: { readonly at: string }) {
  const [, ticked] = useState(0);
  // A row of a table may show another time afterwards, which was not asked for.
  const [asked, setAsked] = useState('');
  const isExact = asked === at;
  useEffect(() => follow(() => ticked((ticks) => ticks + 1)), []);
  const time = new Date(at);
  const inFull = exact.format(time);
  return (
    <button
      type="button"
      class="time"
      title={inFull}
      onClick={(event) => {
        event.stopPropagation();
        setAsked(isExact ? '' : at);
      }}
    >
      <time dateTime={at}>{isExact ? inFull : relative(time.getTime() - Date.now())}</time>
    </button>
  );
}
