import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useOptions } from '../form/options.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { search } from './found.ts';
import type { Found, Search } from './kind.ts';

const typedMs = 200;

export interface PaletteProps {
  /** The pages that the caller may open. */
  readonly pages: readonly Found[];
  readonly onClose: () => void;
}

/** Leads to any page, secret, destination, record or workspace by its name. */
export function Palette({ pages, onClose }: PaletteProps) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const listId = useId();
  const text = typed.trim();
  const { found, left, isBusy } = useSearch(text);
  const shown = [...pages.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())), ...found];
  const open = (at: number) => {
    const one = shown[at];
    if (one === undefined) return;
    onClose();
    route(one.href);
  };
  const list = useOptions(text, shown.length, open);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label="Name of a page, secret, destination, record or workspace"
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${list.at}` : undefined}
        placeholder="The beginning of a path, or a name"
        autocomplete="off"
        autofocus
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={list.onKey}
      />
      <div class="found" id={listId} role="listbox" aria-label="Found">
        {shown.map((one, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the focus stays in the text field, which takes the keys
          <div
            key={`${one.kind} ${one.name}`}
            id={`${listId}-${at}`}
            role="option"
            class="option named"
            aria-selected={at === list.at}
            onClick={() => open(at)}
          >
            <Icon name={one.icon} />
            <span class="wrap">{one.name}</span>
            <span class="quiet kind">{one.kind}</span>
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {isBusy ? 'Searching' : shown.length === 0 ? 'Nothing has this name' : 'Enter opens'}
        {isBusy || left.length === 0 ? '' : `. Not all are shown: ${left.join('; ')}.`}
      </p>
    </Dialog>
  );
}

const empty: Search = { found: [], left: [] };

/** What is found for the text, once the typing pauses. */
function useSearch(text: string) {
  const [result, setResult] = useState<Search>(empty);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    setBusy(text !== '');
    if (text === '') setResult(empty);
    const timer = setTimeout(async () => {
      if (text === '') return;
      const next = await search(text, ending.signal);
      if (ending.signal.aborted) return;
      setResult(next);
      setBusy(false);
    }, typedMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);
  return { ...result, isBusy };
}
