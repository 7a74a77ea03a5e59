import { badField } from '#core/errors.ts';
import type { MountType } from '#mounts/contract/mounts.ts';

type Engines = readonly Pick<MountType, 'type' | 'version' | 'names'>[];
type Options = Readonly<Record<string, string>>;

/**
 * The engine type and options that a request names.
 *
 * @throws AppError `bad-request` for an unknown type or version
 */
export function kindOf(
  engines: Engines,
  given: string | undefined,
  options: Options | undefined,
): { readonly type: string; readonly options: Options | null } {
  if (given === undefined || given === '') throw badField('type', 'backend type must be specified as a string');
  const named = engines.find(({ names }) => names?.includes(given));
  const type = named?.type ?? engines.find((engine) => engine.type === given)?.type;
  if (type === undefined)
    throw badField('type', `plugin not found in the catalog: ${given}; expected ${namesText(engines)}`);
  const wanted = { ...options, ...(named?.version === undefined ? {} : { version: named.version }) };
  if (wanted['version'] !== undefined) rankOf(versionsOf(engines, type), wanted['version']);
  return { type, options: Object.keys(wanted).length === 0 ? null : wanted };
}

/**
 * Options after a change. An empty value removes an option. A mount can be upgraded but never downgraded, because the lower
 * version could not read the stored data.
 *
 * @throws AppError `bad-request`
 */
export function tunedOptions(
  engines: Engines,
  { type, options: before }: { readonly type: string; readonly options: Options | null },
  change: Options | undefined,
): Options | null {
  if (change === undefined) return before;
  const versions = versionsOf(engines, type);
  if (change['version'] !== undefined) {
    const from = rankOf(versions, before?.['version'] ?? versions[0] ?? '');
    const to = rankOf(versions, change['version']);
    if (to < from) throw badField('options.version', `cannot downgrade mount from version ${versions[from]}`);
  }
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== '');
  return after.length === 0 ? null : Object.fromEntries(after);
}

/** The names by which engines can be mounted, for messages and descriptions. */
export const namesText = (engines: Engines): string =>
  either([...new Set(engines.map(({ type }) => type)), ...engines.flatMap(({ names }) => names ?? [])]);

/** The versions that can be chosen, for messages and descriptions. */
export const versionsText = (engines: Engines): string =>
  [...new Set(engines.map(({ type }) => type))]
    .map((type) => [type, versionsOf(engines, type)] as const)
    .filter(([, versions]) => versions.length > 0)
    .map(([type, versions]) => `version: ${either(versions.map(quoted))}, of a ${type} mount`)
    .join('; ');

/** In ascending order; empty when the type has no versions. */
const versionsOf = (engines: Engines, type: string): readonly string[] =>
  engines.flatMap((engine) => (engine.type === type && engine.version !== undefined ? [engine.version] : []));

/** A type without versions ignores the option. */
function rankOf(versions: readonly string[], text: string): number {
  const rank = versions.indexOf(text);
  if (rank >= 0 || versions.length === 0) return rank;
  throw badField(
    'options.version',
    `invalid version provided: ${quoted(text)} is neither ${versions.map(quoted).join(' nor ')}`,
  );
}

const quoted = (text: string): string => JSON.stringify(text);

const either = (texts: readonly string[]): string => texts.join(', ').replace(/, ([^,]*)$/, ' or $1');
