import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { storedTypeIn } from '#sync/model/definition.ts';
import type { SampleRow } from '#sync/samples/read.ts';

/** The samples as their read shows them. */
export function samplesView(
  definitions: readonly DestinationDefinition[],
  rows: readonly SampleRow[],
  { vocabulary, withQueue }: { readonly vocabulary: Vocabulary; readonly withQueue: boolean },
) {
  const typeOf = (type: string) => storedTypeIn(definitions, type, vocabulary);
  const points: object[] = [];
  const types: object[] = [];
  const destinations: object[] = [];
  for (const row of rows) {
    const { at, type, name, samples, queued, capacity } = row;
    if (at !== null)
      points.push({
        at: at.toISOString(),
        samples,
        ...numbersOf(row),
        ...(withQueue ? { queue: { pending: queued, capacity } } : {}),
      });
    else if (type !== null && name === null) types.push({ type: typeOf(type), ...numbersOf(row) });
    else if (type !== null) destinations.push({ type: typeOf(type), name, ...numbersOf(row) });
  }
  return { points, types, destinations };
}

const numbersOf = ({ pending, oldest_seconds, done, failed, arrived, errors }: SampleRow): object => ({
  pending,
  oldest_seconds: oldest_seconds === null ? null : Math.round(oldest_seconds),
  arrived,
  done,
  failed,
  errors: errors ?? {},
});
