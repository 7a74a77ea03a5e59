/** How long a reading is used again: a second, or this many times as long as it took, so that it stays a small part of the load. */
const ageMsMin = 1_000;
const shareMax = 20;
/** Readings that are kept: those of the namespaces that were read last. */
const keptMax = 1_000;

interface Reading<T> {
  readonly value: Promise<T>;
  until: number;
}

/**
 * Shares readings: callers of the same key within a short time get the same one, whatever their number.
 * @param key a text, or a value that JSON can tell from others
 */
export function sharedReadings<T, K = string>(
  read: (key: K) => Promise<T>,
  nowMs: () => number = () => performance.now(),
  keptAtMost = keptMax,
): (key: K) => Promise<T> {
  const readings = new Map<string, Reading<T>>();
  return (given) => {
    const key = JSON.stringify(given);
    const now = nowMs();
    const known = readings.get(key);
    if (known !== undefined && now < known.until) return known.value;
    const reading: Reading<T> = { value: read(given), until: Number.POSITIVE_INFINITY };
    readings.delete(key);
    readings.set(key, reading);
    const [oldest] = readings.keys();
    if (readings.size > keptAtMost && oldest !== undefined) readings.delete(oldest);
    reading.value.then(
      () => {
        const ended = nowMs();
        reading.until = ended + Math.max(ageMsMin, (ended - now) * shareMax);
      },
      () => {
        if (readings.get(key) === reading) readings.delete(key);
      },
    );
    return reading.value;
  };
}
