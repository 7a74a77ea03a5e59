import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '#ui/parts/button.tsx';
import { say } from '#ui/parts/toast.tsx';
import { useLog } from './follow.ts';

interface LogProps {
  readonly label: string;
  readonly address: string;
  readonly isEnded: boolean;
}

/** How near to the end counts as the end. */
const nearPx = 40;

/** A log as text, followed while it grows. It scrolls along while its end is in view. */
export function Log({ label, address, isEnded }: LogProps) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const { text, isCut, isLoading, problem } = useLog(address, isEnded);
  useLayoutEffect(() => {
    const pre = box.current;
    if (pre !== null && isAtEnd.current) pre.scrollTop = pre.scrollHeight;
  }, [text]);
  const copy = () => navigator.clipboard.writeText(text).then(() => say('ok', 'The log is copied.'));
  const note = isLoading ? 'Loading' : isEnded ? 'Complete' : 'Followed while it grows';
  return (
    <div class="inside form">
      {isCut ? <p class="quiet">Its beginning is left out here.</p> : null}
      {text === '' ? (
        <p class="quiet">{isLoading ? 'The log is loading.' : 'Nothing was written yet.'}</p>
      ) : (
        <pre
          class="log"
          ref={box}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
          tabIndex={0}
          role="log"
          aria-label={label}
          onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
            isAtEnd.current = scrollTop + clientHeight > scrollHeight - nearPx;
          }}
        >
          {text}
        </pre>
      )}
      <div class="what spread">
        <span class="quiet">{problem === '' ? note : `${problem}. The page tries again by itself.`}</span>
        <Button small look="plain" icon="copy" label={`Copy: ${label}`} onPress={copy}>
          Copy
        </Button>
      </div>
    </div>
  );
}
