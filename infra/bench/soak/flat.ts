import { median } from '../measure/figure.ts';

/** The memory of a process at one time, in bytes. */
export interface Sample {
  readonly rss: number;
  /** Used heap, including garbage. */
  readonly heap: number;
}

/** Measured for one process, in bytes. */
export interface Verdict {
  readonly rssMax: number;
  /** The medians of the second and the last third of the time. The first third is for warming up. */
  readonly rss: Course;
  /** The minimum of the second and of the last third: what remains after a collection. */
  readonly heap: Course;
  /** The problems; empty when memory is flat and small enough. */
  readonly problems: readonly string[];
}

export interface Course {
  readonly before: number;
  readonly after: number;
}

const megabyte = 1_048_576;
/** Maximum memory of an API or a worker: half of its container's. */
export const rssBytesMax = 256 * megabyte;
/** Permitted growth from one third to the next, since the collector does not run at fixed times. */
const growthShareMax = 0.05;
const growthBytesMin = 6 * megabyte;

/** @throws RangeError for fewer than three samples */
export function judge(samples: readonly Sample[]): Verdict {
  const third = Math.floor(samples.length / 3);
  const [second, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const rss = course(second, last, (part) => median(part.map((sample) => sample.rss)));
  const heap = course(second, last, (part) => Math.min(...part.map((sample) => sample.heap)));
  const rssMax = Math.max(...samples.map((sample) => sample.rss));
  const problems = [
    ...(rssMax > rssBytesMax ? [`holds more than ${rssBytesMax / megabyte} MB`] : []),
    ...(isFlat(rss) ? [] : ['resident memory grows']),
    ...(isFlat(heap) ? [] : ['the heap grows']),
  ];
  return { rssMax, rss, heap, problems };
}

const course = (
  second: readonly Sample[],
  last: readonly Sample[],
  measure: (part: readonly Sample[]) => number,
): Course => ({ before: measure(second), after: measure(last) });

export const isFlat = ({ before, after }: Course): boolean =>
  after - before <= Math.max(growthBytesMin, before * growthShareMax);
