import { useId, useState } from 'preact/hooks';
import { Button } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import type { Pair } from './new-version.ts';

interface PairsProps {
  readonly pairs: readonly Pair[];
  readonly onPairs: (pairs: readonly Pair[]) => void;
}

/** Keys with their values, which are hidden until they are to be seen. */
export function Pairs({ pairs, onPairs }: PairsProps) {
  const [isShown, setShown] = useState(false);
  const set = (at: number, change: Partial<Pair>) =>
    onPairs(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <fieldset class="pairs" aria-label="Keys and values">
      {pairs.map((pair, at) => (
        <One
          // The rows have no name of their own while their keys are typed.
          key={at}
          number={at + 1}
          pair={pair}
          isShown={isShown}
          onChange={(change) => set(at, change)}
          onRemove={() => onPairs(pairs.filter((_, index) => index !== at))}
        />
      ))}
      <div class="actions">
        <Button small icon="plus" onPress={() => onPairs([...pairs, { key: '', value: '', isStored: false }])}>
          Add a key
        </Button>
        <Button small look="plain" icon="eye" onPress={() => setShown(!isShown)}>
          {isShown ? 'Hide values' : 'Show values'}
        </Button>
      </div>
    </fieldset>
  );
}

interface OneProps {
  readonly number: number;
  readonly pair: Pair;
  readonly isShown: boolean;
  readonly onChange: (change: Partial<Pair>) => void;
  readonly onRemove: () => void;
}

function One({ number, pair, isShown, onChange, onRemove }: OneProps) {
  const id = useId();
  const { key, value, isStored } = pair;
  return (
    <div class="pair">
      <div class="field">
        <label for={`${id}-key`}>Key {number}</label>
        <input
          id={`${id}-key`}
          class="input mono"
          value={key}
          readOnly={isStored}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange({ key: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}-value`}>Value {number}</label>
        <textarea
          id={`${id}-value`}
          class={`input ${isShown ? '' : 'hidden-text'}`}
          rows={1}
          value={value}
          placeholder={isStored ? 'Kept' : ''}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange({ value: event.currentTarget.value })}
        />
      </div>
      <button
        type="button"
        class="button plain small"
        aria-label={`Take out ${key || `key ${number}`}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
