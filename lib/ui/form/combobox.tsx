import { useId, useState } from 'preact/hooks';
import { Field } from './field.tsx';
import { useOptions } from './options.ts';

interface ComboboxProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly options: readonly string[];
  readonly onChoose: (option: string) => void;
}

const shownMax = 50;

/** A text field that narrows a list, from which one option is chosen. Escape closes the list first, then what is around it. */
export function Combobox({ label, hint, problem, options, onChoose }: ComboboxProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const matching = options.filter((one) => one.toLowerCase().includes(typed.trim().toLowerCase()));
  const shown = matching.slice(0, shownMax);
  const choose = (at: number) => {
    const option = shown[at];
    if (option === undefined) return;
    onChoose(option);
    setTyped('');
    setOpen(false);
  };
  const list = useOptions(typed, shown.length, choose);
  const onKeyDown = (event: KeyboardEvent) => {
    const opens = !isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp');
    const closes = isOpen && event.key === 'Escape';
    if (opens || closes) setOpen(opens);
    else if (isOpen) list.onKey(event);
    // Enter chooses. Where there is nothing to choose, as before the options have arrived, it does not send the form around the field.
    if (opens || closes || event.key === 'Enter') event.preventDefault();
  };
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(wired) => (
        <div class="combobox">
          <input
            {...wired}
            class="input"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && shown.length > 0 ? `${listId}-${list.at}` : undefined}
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
          />
          <div class="options" id={listId} role="listbox" aria-label={label} hidden={!isOpen}>
            {shown.map((option, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the focus stays in the text field, which takes the keys
              <div
                key={option}
                id={`${listId}-${at}`}
                role="option"
                class="option wrap"
                aria-selected={at === list.at}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(at)}
              >
                {option}
              </div>
            ))}
            {shown.length === 0 ? <NoOption /> : null}
          </div>
        </div>
      )}
    </Field>
  );
}

const NoOption = () => (
  // biome-ignore lint/a11y/useFocusableInteractive: it cannot be chosen
  <div class="option quiet" role="option" aria-selected={false} aria-disabled="true">
    Nothing matches
  </div>
);
