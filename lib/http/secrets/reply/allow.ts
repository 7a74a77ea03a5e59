import type { Verb } from '../../../path/contract/request.ts';
import type { Target } from '../engines.ts';

/** What clients call our verbs. */
const names: readonly (readonly [Verb, string])[] = [
  ['read', 'GET, HEAD'],
  ['list', 'LIST'],
  ['write', 'POST, PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
];

/** The `Allow` header of a path: the verbs of all rows that have it (RFC 9110, 10.2.1). */
export function allowOf({ engine, path }: Target): string {
  const plain = path.replace(/\/$/, '');
  const has = (verb: Verb) => engine.table.find(verb === 'list' ? `${plain}/` : plain, verb)?.operation !== undefined;
  return names.flatMap(([verb, name]) => (has(verb) ? [name] : [])).join(', ');
}
