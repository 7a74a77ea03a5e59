import { useEffect, useState } from 'preact/hooks';
import { Button } from '#ui/parts/button.tsx';
import { reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { readValues, shownValue, type Version } from './read.ts';

/** A shown value is hidden again after this time, and when the page is. */
const shownMs = 30_000;

interface MaskedProps {
  readonly of: Version;
  readonly name: string;
  /** Which of two values it is, for readers of the screen. */
  readonly which?: string | undefined;
}

/** A value that is hidden until it is asked for. It is read then, and only this part of the page has it. */
export function Masked({ of, name, which }: MaskedProps) {
  const [value, setValue] = useState<string>();
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
  const read = async (use: (text: string) => unknown) =>
    readValues(of)
      .then((values) => use(shownValue(values[name])))
      .catch((cause: unknown) => say('fail', reasonOf(cause, 'The value could not be read.')));
  const copy = () =>
    read((text) => navigator.clipboard.writeText(text).then(() => say('ok', `The value of ${name} is copied.`)));
  const label = which === undefined ? name : `${name}, ${which}`;
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
          onPress={() => (value === undefined ? read(setValue) : setValue(undefined))}
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
