import { isObject, memberOf, textOf, type Value } from './wire/json.ts';

/** The destinations of a reply of `sys/sync/overview`. */
export function destinationsIn(overview: Value | undefined): readonly Value[] {
  const all = memberOf(overview, 'destinations');
  return Array.isArray(all) ? all : [];
}

export const destinationName = (destination: Value): string =>
  `${textOf(destination, 'type')}/${textOf(destination, 'name')}`;

/** How many syncs have one of the error statuses. */
export const failedAt = (destination: Value): number =>
  Object.entries(countsIn(destination, 'counts')).reduce(
    (sum, [status, count]) => (status.endsWith('_ERROR') ? sum + count : sum),
    0,
  );

/** `counts` by status or `errors` by kind. */
export function countsIn(numbers: Value | undefined, name: 'counts' | 'errors'): Readonly<Record<string, number>> {
  const counts = memberOf(numbers, name);
  return Object.fromEntries(Object.entries(isObject(counts) ? counts : {}).map(([key, count]) => [key, Number(count)]));
}

/** The workers of a type. */
export interface SeenWorkers {
  readonly type: string;
  /** How many were seen in the last minute. */
  readonly seen: number;
  /** Empty: none was seen for a month. */
  readonly lastSeenAt: string;
}

/** None of a server that does not tell of its workers. */
export function workersIn(overview: Value | undefined): readonly SeenWorkers[] {
  const workers = memberOf(overview, 'workers');
  return (Array.isArray(workers) ? workers : []).map((one) => ({
    type: textOf(one, 'type'),
    seen: Number(textOf(one, 'seen')),
    lastSeenAt: textOf(one, 'last_seen_at'),
  }));
}
