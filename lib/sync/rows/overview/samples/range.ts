import { invalid } from '#core/errors.ts';
import { type Problem, problemOf } from '#core/problem.ts';
import { slotSeconds, spanSeconds } from '#sync/samples/slots.ts';

/** Points of a reply. */
export const pointsMax = 1_440;
/** Points of a reply to a request without a step, at most. */
const pointsByDefault = 360;
const longSeconds = 2 * 3_600;

export interface GivenRange {
  readonly from: string;
  readonly to: string;
  readonly step?: number | undefined;
}

export interface Range {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly stepSeconds: number;
}

/**
 * The range that a request asks for, in whole steps.
 * @throws AppError `bad-request` with the fields that have to change
 */
export function rangeOf(given: GivenRange, now: Date): Range {
  const [from, to] = [timeOf(given.from, now), timeOf(given.to, now)];
  const problems: readonly Problem[] = [
    ...(from === undefined ? [problemOf('from', `from ${timeRule}`)] : []),
    ...(to === undefined ? [problemOf('to', `to ${timeRule}`)] : []),
  ];
  if (from === undefined || to === undefined) throw invalid(problems);
  if (from >= to) throw invalid([problemOf(['from', 'to'], 'from must be earlier than to')]);
  const seconds = (to - from) / 1_000;
  const stepSeconds = given.step ?? usualStep(seconds);
  const begin = Math.floor(from / 1_000 / stepSeconds) * stepSeconds;
  const end = Math.ceil(to / 1_000 / stepSeconds) * stepSeconds;
  if ((end - begin) / stepSeconds > pointsMax + 1)
    throw invalid([
      problemOf(
        'step',
        `step must be at least ${stepFor(seconds, pointsMax)} seconds for this range: at most ${pointsMax} points`,
      ),
    ]);
  return { from: new Date(begin * 1_000), to: new Date(end * 1_000), stepSeconds };
}

/** Long ranges are read in steps of whole spans, which cost least. */
function usualStep(seconds: number): number {
  const step = stepFor(seconds, pointsByDefault);
  return seconds <= longSeconds ? step : Math.ceil(step / spanSeconds) * spanSeconds;
}

/** The shortest step of whole slots with which the time has so many points. */
const stepFor = (seconds: number, points: number): number =>
  Math.max(1, Math.ceil(seconds / points / slotSeconds)) * slotSeconds;

const timeRule =
  'must be now, a time before now such as "-1h" or "-90m", or one such as "2030-01-31T08:00:00Z" (RFC 3339)';
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds. */
function timeOf(given: string, now: Date): number | undefined {
  if (given === 'now') return now.getTime();
  const [, amount, unit = 's'] = /^-(\d{1,7})([smhd])$/.exec(given) ?? [];
  const time = amount === undefined ? absolute(given) : now.getTime() - Number(amount) * (unitMs[unit] ?? 0);
  return Number.isNaN(time) || time < 0 ? undefined : time;
}

const absolute = (given: string): number => (rfc3339.test(given) ? Date.parse(given) : Number.NaN);
