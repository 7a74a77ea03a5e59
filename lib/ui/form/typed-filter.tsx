import { useEffect, useState } from 'preact/hooks';
import { TextField } from './field.tsx';

/** How long after the last key a typed filter is asked for. */
const typedMs = 300;

interface TypedFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A filter that is typed: the server is asked when the typing pauses. */
export function TypedFilter({ label, value, onValue }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onValue(typed.trim()), typedMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField label={label} type="search" value={typed} onValue={setTyped} />;
}
