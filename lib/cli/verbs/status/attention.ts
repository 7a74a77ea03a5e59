import { countsIn, destinationName, destinationsIn, failedAt } from '#client/overview.ts';
import { memberOf, type ObjectValue, textOf, type Value } from '#client/wire/json.ts';

/** A destination that needs attention, with what is known of the cause. */
export interface Attention extends ObjectValue {
  readonly destination: string;
  readonly failed: number;
  /** By kind of error, also of syncs that are tried again. */
  readonly errors: Readonly<Record<string, number>>;
  /** By kind of error. */
  readonly remedies: Readonly<Record<string, string>>;
}

/** Destinations with errors, an open circuit, a pause or a purge that failed; those with the most failed syncs first. */
export const attentionIn = (overview: Value): readonly Attention[] =>
  destinationsIn(overview)
    .flatMap((destination) => attentionOf(overview, destination))
    .sort((one, other) => other.failed - one.failed);

function attentionOf(overview: Value, destination: Value): readonly Attention[] {
  const errors = countsIn(destination, 'errors');
  const circuit = textOf(destination, 'circuit');
  const signs = {
    ...(memberOf(destination, 'disabled') === true ? present(destination, 'disabled', 'disabled_until') : {}),
    ...(circuit === 'open' || circuit === 'half-open' ? present(destination, 'circuit', 'circuit_open_until') : {}),
    ...present(destination, 'purge_error'),
  };
  if (Object.keys({ ...errors, ...signs }).length === 0) return [];
  const remedies = Object.keys(errors).map((kind) => [kind, textOf(overview, 'remedies', kind)] as const);
  return [
    {
      destination: destinationName(destination),
      ...signs,
      failed: failedAt(destination),
      errors,
      remedies: Object.fromEntries(remedies.filter(([, remedy]) => remedy !== '')),
    },
  ];
}

const present = (value: Value, ...names: readonly string[]): ObjectValue =>
  Object.fromEntries(
    names.flatMap((name) => {
      const member = memberOf(value, name) ?? null;
      return member === null ? [] : [[name, member] as const];
    }),
  );

/** Destinations that a table shows. */
const shownMax = 20;

/** One line for each destination. */
export const attentionLines = (attention: readonly Attention[]): ObjectValue => ({
  ...Object.fromEntries(attention.slice(0, shownMax).map((one) => [one.destination, lineOf(one)])),
  ...(attention.length > shownMax ? { more: `${attention.length - shownMax}; -o json shows them` } : {}),
});

function lineOf(one: Attention): string {
  const [until, openUntil, purge] = [
    textOf(one, 'disabled_until'),
    textOf(one, 'circuit_open_until'),
    textOf(one, 'purge_error'),
  ];
  const circuit = textOf(one, 'circuit');
  const errors = countsText(one.errors);
  return [
    ...(memberOf(one, 'disabled') === true ? [`paused${until === '' ? '' : ` until ${until}`}`] : []),
    ...(circuit === '' ? [] : [`circuit ${circuit}${openUntil === '' ? '' : ` until ${openUntil}`}`]),
    ...(errors === '' ? [] : [`${one.failed} failed (${errors})`]),
    ...(purge === '' ? [] : [`not purged: ${purge}`]),
    ...Object.entries(one.remedies).map(([kind, remedy]) => `${kind}: ${remedy}`),
  ].join('; ');
}

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
