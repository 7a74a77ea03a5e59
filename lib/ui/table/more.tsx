import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/relative.ts';

/** The beginning of a list that is read from above, and how to see more of it. */
export interface Shown<R> {
  readonly rows: readonly R[];
  readonly hidden: number;
  more(): void;
}

/** @param step rows that are shown at first, and with each press more */
export function useBeginning<R>(list: readonly R[], step: number): Shown<R> {
  const [size, setSize] = useState(step);
  return {
    rows: list.slice(0, size),
    hidden: Math.max(0, list.length - size),
    more: () => setSize((before) => before + step),
  };
}

interface MoreProps {
  readonly of: Shown<unknown>;
  readonly one: string;
  readonly many?: string;
}

/** At the end of the beginning of a list: how much is not shown. */
export const More = ({ of: { hidden, more }, one, many }: MoreProps) =>
  hidden === 0 ? null : (
    <div class="list-more">
      <span class="numbers">{counted(hidden, `more ${one}`, `more ${many ?? `${one}s`}`)}</span>
      <Button small onPress={more}>
        Show more
      </Button>
    </div>
  );
