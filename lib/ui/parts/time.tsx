import { useEffect, useState } from 'preact/hooks';
import { relative } from './relative.ts';

const tickMs = 10_000;
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago or ahead; the exact time on a press. */
export function Time({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now);
  const [isExact, setExact] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  const time = new Date(at);
  return (
    <button
      type="button"
      class="time"
      title={exact.format(time)}
      onClick={(event) => {
        event.stopPropagation();
        setExact(!isExact);
      }}
    >
      <time dateTime={at}>{isExact ? exact.format(time) : relative(time.getTime() - now)}</time>
    </button>
  );
}
