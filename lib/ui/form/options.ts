import { useEffect, useState } from 'preact/hooks';

/** The current option of a list that a text field opens, after the ARIA pattern of a combobox. */
export interface Options {
  readonly at: number;
  /** Arrows, Home and End move, Enter chooses. Returns whether it took the key. */
  onKey(event: KeyboardEvent): boolean;
  show(at: number): void;
}

/** @param of the list, by what tells it from another: another list begins at its first option */
export function useOptions(of: string, length: number, onChoose: (at: number) => void): Options {
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [of]);
  const current = Math.min(at, Math.max(0, length - 1));
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: (current + 1) % Math.max(1, length),
    ArrowUp: (current - 1 + length) % Math.max(1, length),
  };
  return {
    at: current,
    show: setAt,
    onKey(event) {
      if (length === 0) return false;
      const to = targets[event.key];
      if (to !== undefined) setAt(to);
      else if (event.key === 'Enter') onChoose(current);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
