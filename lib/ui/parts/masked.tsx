import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { reasonOf } from './problem.tsx';
import { say } from './toast.tsx';

/** A shown value is hidden again after this time, and when the page is. */
const shownMs = 30_000;

/** Something that is shown for a while, and then hidden again. */
export function useShown<V>(): readonly [V | undefined, (value: V | undefined) => void] {
  const [value, setValue] = useState<V>();
  useEffect(() => {
    if (value === undefined) return;
    const hide = () => setValue(undefined);
    const timer = setTimeout(hide, shownMs);
    document.addEventListener('visibilitychange', hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [value]);
  return [value, setValue];
}

interface MaskedTextProps {
  /** What it is the value of, for the buttons and for readers of the screen. */
  readonly label: string;
  readonly read: () => Promise<string>;
}

/** A value that is hidden until it is asked for. It is read then, and only this part of the page has it. */
export function MaskedText({ label, read }: MaskedTextProps) {
  const [value, setValue] = useShown<string>();
  const use = (then: (text: string) => unknown) =>
    read()
      .then(then)
      .catch((cause: unknown) => say('fail', reasonOf(cause, 'The value could not be read.')));
  const copy = () =>
    use((text) => navigator.clipboard.writeText(text).then(() => say('ok', `The value of ${label} is copied.`)));
  return (
    <div class="masked">
      {value === undefined ? (
        <span class="dots" role="img" aria-label="hidden">
          ••••••••
        </span>
      ) : (
        <pre class="plain-value">{value === '' ? <span class="quiet">empty</span> : value}</pre>
      )}
      <span class="actions">
        <Button
          small
          look="plain"
          icon="eye"
          label={`${value === undefined ? 'Show' : 'Hide'} ${label}`}
          onPress={() => (value === undefined ? use(setValue) : setValue(undefined))}
        >
          {value === undefined ? 'Show' : 'Hide'}
        </Button>
        <Button small look="plain" icon="copy" label={`Copy ${label}`} onPress={copy}>
          Copy
        </Button>
      </span>
    </div>
  );
}
