import { MaskedText } from '#ui/parts/masked.tsx';
import { readValues, shownValue, type Version } from './read.ts';

interface MaskedProps {
  readonly of: Version;
  readonly name: string;
  /** Which of two values it is, for readers of the screen. */
  readonly which?: string | undefined;
}

/** The value of a key, hidden until it is asked for. */
export const Masked = ({ of, name, which }: MaskedProps) => (
  <MaskedText
    label={which === undefined ? name : `${name}, ${which}`}
    read={() => readValues(of).then((values) => shownValue(values[name]))}
  />
);
