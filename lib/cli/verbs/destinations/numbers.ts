import type { Client } from '#client/client.ts';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';

/** The numbers of each `type/name` that the overview shows; none for a caller that may not read it. */
export async function numbersByDestination(client: Client): Promise<ReadonlyMap<string, Value>> {
  const { data } = await client.call(sync.overview, {}).catch((error: unknown) => {
    if (error instanceof CallFailure && (error.status === 403 || error.status === 404)) return { data: null };
    throw error;
  });
  const found = memberOf(data, 'destinations');
  return new Map(
    (Array.isArray(found) ? found : []).map((place) => [`${textOf(place, 'type')}/${textOf(place, 'name')}`, place]),
  );
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
