import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import type { GateState, WorkersSeen } from '#queue/contract.ts';
import { storedTypeIn } from '../../model/definition.ts';
import type { SyncStatus } from '../../model/status.ts';
import { add, type CountedDestination } from '../../records/overview/counts.ts';
import { numbersView } from '../../records/overview/numbers.ts';
import { remedyOf } from '../../records/remedies.ts';

/** A destination with its numbers, and the state of its gate; undefined while Redis is unavailable. */
export interface SeenDestination {
  readonly destination: CountedDestination;
  readonly gate: GateState | undefined;
}

/** Destinations, and those of them that a reply shows. */
export interface SeenDestinations {
  readonly seen: readonly SeenDestination[];
  readonly shown: readonly SeenDestination[];
}

/** The destinations that are shown, and the sums over all of them. */
export function overviewView(
  definitions: readonly DestinationDefinition[],
  { seen, shown }: SeenDestinations,
  vocabulary: Vocabulary,
): object {
  const [counts, errors] = [new Map<SyncStatus, number>(), new Map<string, number>()];
  let [pendingSince, drifted] = [null as Date | null, 0];
  for (const { destination } of seen) {
    for (const [status, count] of destination.counts) add(counts, status, count);
    for (const [kind, count] of destination.errors) add(errors, kind, count);
    drifted += destination.drifted;
    const since = destination.pendingSince;
    if (since !== null && (pendingSince === null || since < pendingSince)) pendingSince = since;
  }
  return {
    ...numbersView({ counts, errors, pendingSince, drifted }, vocabulary),
    remedies: remediesOf(errors.keys()),
    destinations: shown.map((one) => destinationView(definitions, one, vocabulary)),
  };
}

/** What helps against the kinds of error that there are; a kind that passes by itself has none. */
const remediesOf = (kinds: Iterable<string>): object =>
  Object.fromEntries(
    [...kinds].flatMap((kind) => {
      const remedy = remedyOf(kind);
      return remedy === undefined ? [] : [[kind, remedy]];
    }),
  );

function destinationView(
  definitions: readonly DestinationDefinition[],
  { destination, gate }: SeenDestination,
  vocabulary: Vocabulary,
): object {
  const { disabled, disabled_until, purge_initiated_at, purge_error, marking_since } = destination;
  return {
    type: storedTypeIn(definitions, destination.type, vocabulary),
    name: destination.name,
    ...numbersView(destination, vocabulary),
    created_at: destination.created_at.toISOString(),
    updated_at: destination.updated_at.toISOString(),
    disabled,
    ...(disabled_until === null ? {} : { disabled_until: disabled_until.toISOString() }),
    ...(marking_since === null ? {} : { marking_since: marking_since.toISOString() }),
    ...(purge_initiated_at === null ? {} : { purge_initiated_at: purge_initiated_at.toISOString() }),
    ...(purge_error === null ? {} : { purge_error }),
    ...gateView(definitions.find(({ type }) => type === destination.type)?.rate, gate),
  };
}

/** The workers of types, as all namespaces share them. */
export const workersView = (
  definitions: readonly DestinationDefinition[],
  workers: ReadonlyMap<string, WorkersSeen>,
  vocabulary: Vocabulary,
): readonly object[] =>
  [...workers].map(([type, { seen, lastSeenAt }]) => ({
    type: storedTypeIn(definitions, type, vocabulary),
    seen,
    last_seen_at: lastSeenAt?.toISOString() ?? null,
  }));

/** What is left of the rate grows with the learned limit until the next operation, up to the burst. */
function gateView(rate: DestinationDefinition['rate'] | undefined, gate: GateState | undefined): object {
  if (gate === undefined || rate === undefined) return {};
  const { tokens, idleMs } = gate.available ?? { tokens: rate.burst, idleMs: 0 };
  const limit = gate.limit ?? rate.callsPerSecond;
  const available = Math.floor(Math.min(rate.burst, tokens + (idleMs * limit) / 1000));
  return {
    circuit: gate.circuit,
    ...(gate.openUntil === undefined ? {} : { circuit_open_until: gate.openUntil.toISOString() }),
    rate: { calls_per_second: rate.callsPerSecond, limit: rounded(limit), burst: rate.burst, available },
  };
}

const rounded = (perSecond: number): number => Math.round(perSecond * 1_000) / 1_000;
