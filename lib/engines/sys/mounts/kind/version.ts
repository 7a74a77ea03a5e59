import { badRequest } from '../../../../core/errors.ts';
import type { EngineDefinition } from '../../../contract.ts';

type Engines = readonly Pick<EngineDefinition, 'type' | 'version' | 'names'>[];
type Options = Readonly<Record<string, string>>;

/**
 * The engine type and options that a client asks for.
 *
 * @throws AppError `bad-request` for a type that is not known or a version that is none
 */
export function kindOf(
  engines: Engines,
  given: string | undefined,
  options: Options | undefined,
): { readonly type: string; readonly options: Options | null } {
  if (given === undefined || given === '') throw badRequest('backend type must be specified as a string');
  const named = engines.find(({ names }) => names?.includes(given));
  const type = named?.type ?? engines.find((engine) => engine.type === given)?.type;
  if (type === undefined) throw badRequest(`plugin not found in the catalog: ${given}; there is ${namesText(engines)}`);
  const wanted = { ...options, ...(named?.version === undefined ? {} : { version: named.version }) };
  if (wanted['version'] !== undefined) rankOf(versionsOf(engines, type), wanted['version']);
  return { type, options: Object.keys(wanted).length === 0 ? null : wanted };
}

/**
 * Options after a change. An empty value takes an option away. A mount goes to a higher version and never back: what the
 * version has stored would be out of reach.
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
    if (to < from) throw badRequest(`cannot downgrade mount from version ${versions[from]}`);
  }
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== '');
  return after.length === 0 ? null : Object.fromEntries(after);
}

/** By what names engines can be mounted, for people. */
export const namesText = (engines: Engines): string =>
  either([...new Set(engines.map(({ type }) => type)), ...engines.flatMap(({ names }) => names ?? [])]);

/** What may be said of versions, for people. */
export const versionsText = (engines: Engines): string =>
  [...new Set(engines.map(({ type }) => type))]
    .map((type) => [type, versionsOf(engines, type)] as const)
    .filter(([, versions]) => versions.length > 0)
    .map(([type, versions]) => `version: ${either(versions.map(quoted))}, of a ${type} mount`)
    .join('; ');

/** From the lowest; empty: the type has none. */
const versionsOf = (engines: Engines, type: string): readonly string[] =>
  engines.flatMap((engine) => (engine.type === type && engine.version !== undefined ? [engine.version] : []));

/** To a type without versions the option means nothing. */
function rankOf(versions: readonly string[], text: string): number {
  const rank = versions.indexOf(text);
  if (rank >= 0 || versions.length === 0) return rank;
  throw badRequest(`invalid version provided: ${quoted(text)} is neither ${versions.map(quoted).join(' nor ')}`);
}

const quoted = (text: string): string => JSON.stringify(text);

const either = (texts: readonly string[]): string => texts.join(', ').replace(/, ([^,]*)$/, ' or $1');
