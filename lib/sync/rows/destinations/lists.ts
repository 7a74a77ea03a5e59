import { sql } from 'kysely';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText } from '../../../path/fields.ts';
import { typeName } from '../../../path/vocabulary.ts';
import { definitionOf } from '../../definition.ts';
import type { SyncParts } from '../parts.ts';

/** `sys/sync/destinations` and `sys/sync/destinations/:type`: the lists. */
export function destinationLists(parts: SyncParts): readonly Row[] {
  const all: Row = {
    pattern: 'sync/destinations/',
    help: 'Lists the types that have destinations, with the names of these.',
    operations: {
      list: operation({}, { summary: 'List destinations', run: (_input, context) => listAll(parts, context) }),
    },
  };
  const ofType: Row = {
    pattern: 'sync/destinations/:type/',
    help: 'Lists the destinations of a type.',
    operations: {
      list: operation(
        { type: pathText('Destination type') },
        { summary: 'List the destinations of a type', run: ({ type }, context) => listType(parts, type, context) },
      ),
    },
  };
  return [all, ofType];
}

/** Lists of destinations are cut here, and say so: more do not fit in a reply that anyone can use. */
const destinationsMax = 100_000;

type Asking = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn'>;

interface Named {
  readonly type: string;
  readonly name: string;
}

async function listAll(parts: SyncParts, { namespace, vocabulary, warn }: Asking) {
  const { rows } = await sql<Named>`
    select type, name from destinations where namespace_id = ${namespace.id} order by type, name limit ${destinationsMax + 1}`.execute(
    parts.store.db,
  );
  const shown = firstOf(rows, warn);
  const byType = Map.groupBy(shown, ({ type }) => `${typeName(type, vocabulary)}/`);
  const keys = [...byType.keys()].sort();
  const key_info = Object.fromEntries(keys.map((type) => [type, byType.get(type)?.map(({ name }) => name)]));
  return shown.length === 0 ? undefined : { data: { keys, key_info, total_destinations: shown.length } };
}

async function listType(parts: SyncParts, given: string, { namespace, vocabulary, warn }: Asking) {
  const { type } = definitionOf(parts.definitions, given, vocabulary);
  const { rows } = await sql<Named>`
    select type, name from destinations where namespace_id = ${namespace.id} and type = ${type} order by name limit ${destinationsMax + 1}`.execute(
    parts.store.db,
  );
  const keys = firstOf(rows, warn).map(({ name }) => name);
  return keys.length === 0 ? undefined : { data: { keys, total_destinations: keys.length } };
}

function firstOf(rows: readonly Named[], warn: RequestContext['warn']): readonly Named[] {
  if (rows.length <= destinationsMax) return rows;
  warn(`there are more destinations than the first ${destinationsMax}, which this list shows`);
  return rows.slice(0, destinationsMax);
}
