const bars = '▁▂▃▄▅▆▇█';

/** One bar for each value, the highest for the greatest; a space where there is no value. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const greatest = Math.max(0, ...values.map((value) => value ?? 0));
  return values.map((value) => (value === undefined ? ' ' : barOf(value, greatest))).join('');
}

/** What is not zero is never shown as zero. */
const barOf = (value: number, greatest: number): string =>
  bars[value <= 0 ? 0 : Math.max(1, Math.round((value / greatest) * (bars.length - 1)))] ?? '';
