import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';

/** A destination with the numbers of its syncs, from the overview. */
export interface Place {
  readonly type: string;
  readonly name: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly circuit: string;
  /** Empty unless the circuit is open. */
  readonly openUntil: string;
  /** Undefined while Redis is away. */
  readonly rate: Rate | undefined;
  readonly isPaused: boolean;
  readonly purgeError: string;
  readonly purgingSince: string;
}

/** How many calls a destination may be sent. */
export interface Rate {
  /** Calls left now; below 0, earlier ones are still being paid for. */
  readonly available: number;
  /** Calls per second that the account was found to allow. */
  readonly limit: number;
  /** The published limit of the provider. */
  readonly perSecond: number;
}

/** Syncs of one destination that fail for one cause. */
export interface Need {
  readonly type: string;
  readonly name: string;
  readonly kind: string;
  readonly count: number;
  /** Empty where waiting is enough. */
  readonly remedy: string;
}

export const placesOf = (overview: Value | undefined): readonly Place[] =>
  listOf(memberOf(overview, 'destinations')).map(placeOf);

export const placeOf = (value: Value): Place => ({
  type: textOf(value, 'type'),
  name: textOf(value, 'name'),
  total: Number(textOf(value, 'total') || 0),
  counts: countsOf(memberOf(value, 'counts')),
  errors: countsOf(memberOf(value, 'errors')),
  circuit: textOf(value, 'circuit'),
  openUntil: textOf(value, 'circuit_open_until'),
  rate: rateOf(memberOf(value, 'rate')),
  isPaused: memberOf(value, 'disabled') === true,
  purgeError: textOf(value, 'purge_error'),
  purgingSince: textOf(value, 'purge_initiated_at'),
});

const rateOf = (rate: Value | undefined): Rate | undefined =>
  rate === undefined
    ? undefined
    : {
        available: Number(textOf(rate, 'available') || 0),
        limit: Number(textOf(rate, 'limit') || 0),
        perSecond: Number(textOf(rate, 'calls_per_second') || 0),
      };

/** By cause and destination, those that need a person first, then the larger ones. */
export function needsOf(overview: Value | undefined): readonly Need[] {
  const remedies = memberOf(overview, 'remedies');
  const needs = placesOf(overview).flatMap(({ type, name, errors }) =>
    Object.entries(errors).map(([kind, count]) => ({ type, name, kind, count, remedy: textOf(remedies, kind) })),
  );
  return needs
    .filter(({ count }) => count > 0)
    .sort((a, b) => Number(a.remedy === '') - Number(b.remedy === '') || b.count - a.count);
}

export const countsOf = (value: Value | undefined): Readonly<Record<string, number>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, count]) => [name, Number(count)])) : {};

const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);

export const sumOf = (counts: Readonly<Record<string, number>>, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
