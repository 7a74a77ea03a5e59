import type { Client } from '#client/client.ts';
import { sync } from '#client/operations/sync.ts';
import { destinationName, destinationsIn } from '#client/overview.ts';
import { isObject, textOf, type Value } from '#client/wire/json.ts';
import { permitted } from '../../permitted.ts';

/** The numbers of each `type/name` that the overview shows; none for a caller that may not read it. */
export async function numbersByDestination(client: Client): Promise<ReadonlyMap<string, Value>> {
  const overview = await permitted(client.call(sync.overview, {}));
  return new Map(destinationsIn(overview?.data).map((destination) => [destinationName(destination), destination]));
}

/** A destination for a table: numbers by name and errors are lines of text instead of nested objects. */
export function inLines(stored: Value): Value {
  if (!isObject(stored)) return stored;
  const { counts, errors, last_error, drift_error, ...others } = stored;
  if (counts === undefined) return stored;
  return {
    ...others,
    counts: countsText(counts),
    errors: countsText(errors),
    last_error: errorText(last_error),
    drift_error: errorText(drift_error),
  };
}

const countsText = (counts: Value | undefined): string =>
  Object.entries(isObject(counts) ? counts : {})
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');

function errorText(error: Value | undefined): string {
  if (!isObject(error)) return '';
  const [at, remedy] = [textOf(error, 'at'), textOf(error, 'remedy')];
  const what = `${textOf(error, 'kind')}: ${textOf(error, 'message')}`;
  return `${what}${at === '' ? '' : ` (${at})`}${remedy === '' ? '' : `; ${remedy}`}`;
}
