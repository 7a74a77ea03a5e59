import { badRequest } from '../../../core/errors.ts';

type Options = Readonly<Record<string, string>>;

/** What can be mounted, by the names that clients send. */
const kinds: Readonly<Record<string, { readonly type: string; readonly version?: string }>> = {
  kv: { type: 'kv' },
  generic: { type: 'kv', version: '1' },
  'kv-v1': { type: 'kv', version: '1' },
  'kv-v2': { type: 'kv', version: '2' },
};

/**
 * The engine type and options that a client asks for.
 *
 * @throws AppError `bad-request` for a type that is not known or a version that is none
 */
export function kindOf(
  given: string | undefined,
  options: Options | undefined,
): { readonly type: string; readonly options: Options | null } {
  if (given === undefined || given === '') throw badRequest('backend type must be specified as a string');
  const kind = Object.hasOwn(kinds, given) ? kinds[given] : undefined;
  if (kind === undefined) throw badRequest(`plugin not found in the catalog: ${given}`);
  const wanted = { ...options, ...(kind.version === undefined ? {} : { version: kind.version }) };
  if (wanted['version'] !== undefined) versionOf(wanted['version']);
  return { type: kind.type, options: Object.keys(wanted).length === 0 ? null : wanted };
}

/**
 * Options after a change. An empty value takes an option away. A kv mount goes from version 1 to 2 and never back: its older
 * versions would be out of reach.
 *
 * @throws AppError `bad-request`
 */
export function tunedOptions(before: Options | null, change: Options | undefined): Options | null {
  if (change === undefined) return before;
  if (change['version'] !== undefined) {
    const from = versionOf(before?.['version'] ?? '1');
    if (versionOf(change['version']) < from) throw badRequest(`cannot downgrade mount from version ${from}`);
  }
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== '');
  return after.length === 0 ? null : Object.fromEntries(after);
}

function versionOf(text: string): number {
  if (text === '1' || text === '2') return Number(text);
  throw badRequest(`invalid version provided: ${JSON.stringify(text)} is neither "1" nor "2"`);
}
