const format = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' });

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A difference in milliseconds as "3 minutes ago" or "in 2 hours"; days are the largest unit. */
export function relative(differenceMs: number): string {
  const seconds = Math.round(differenceMs / 1_000);
  const size = Math.abs(seconds);
  const [unit, length] = units.find(([, least]) => size >= least) ?? ['second', 1];
  return format.format(Math.trunc(seconds / length), unit);
}

const number = new Intl.NumberFormat();

/** A count in the form of the browser's language. */
export const count = (value: number): string => number.format(value);

/** `1 sync`, `2 syncs`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
