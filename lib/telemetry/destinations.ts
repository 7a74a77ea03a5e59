import type { Metrics, Sample } from './metrics/metrics.ts';

/** Measurements of single destinations by name. */
export interface DestinationMeasures {
  /** A sync has finally failed. */
  failed(destination: NamedDestination): void;
  succeeded(destination: NamedDestination): void;
}

export interface NamedDestination {
  readonly type: string;
  /** Prefixed with the path of its namespace. */
  readonly name: string;
}

/** The shared label of destinations that do not get their own. */
const others = 'other';

const secondMs = 1_000;

/**
 * Measurements of one process for all types. Up to a limit, each destination has its own label; later ones share a label.
 *
 * @param destinationsMax the limit; with 0, nothing is measured by destination
 */
export function destinationMeasures(
  metrics: Metrics,
  destinationsMax: number,
  now: () => number = Date.now,
): DestinationMeasures {
  if (destinationsMax === 0) return { failed() {}, succeeded() {} };
  const labelled = new Map<string, Measured>();
  metrics.source('syncs-by-destination', () => {
    metrics.set(
      'keyferry_sync_destination_last_success_timestamp_seconds',
      [...labelled.values()].flatMap(({ labels, succeededAt }): Sample<Labels>[] =>
        succeededAt === undefined ? [] : [{ labels, value: succeededAt / secondMs }],
      ),
    );
  });
  const measuredOf = ({ type, name }: NamedDestination): Measured => {
    const own = `${type}/${name}`;
    const known = labelled.get(own) ?? (labelled.size < destinationsMax ? undefined : labelled.get(type));
    if (known !== undefined) return known;
    const [key, destination] = labelled.size < destinationsMax ? [own, name] : [type, others];
    const labels = { type, destination };
    const made = {
      labels,
      fail: metrics.counter('keyferry_sync_destination_failures_total', labels),
      succeededAt: undefined,
    };
    labelled.set(key, made);
    return made;
  };
  return {
    failed: (destination) => measuredOf(destination).fail(),
    succeeded(destination) {
      measuredOf(destination).succeededAt = now();
    },
  };
}

interface Labels {
  readonly type: string;
  readonly destination: string;
  readonly [name: string]: string;
}

interface Measured {
  readonly labels: Labels;
  readonly fail: () => void;
  succeededAt: number | undefined;
}
