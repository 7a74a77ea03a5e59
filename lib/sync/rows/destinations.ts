import { pathText } from '../../path/fields.ts';
import { operation, type Row } from '../../path/row.ts';
import { typeName } from '../../path/vocabulary.ts';
import { definitionOf, type SyncParts } from './parts.ts';

/** `sys/sync/destinations` and `sys/sync/destinations/:type`: the lists. */
export function destinationLists(parts: SyncParts): readonly Row[] {
  const all: Row = {
    pattern: 'sync/destinations/',
    help: 'Lists the types that have destinations, with the names of these.',
    operations: {
      list: operation(
        {},
        { summary: 'List destinations', run: (_input, { vocabulary }) => listAll(parts, vocabulary) },
      ),
    },
  };
  const ofType: Row = {
    pattern: 'sync/destinations/:type/',
    help: 'Lists the destinations of a type.',
    operations: {
      list: operation(
        { type: pathText('Destination type') },
        { summary: 'List the destinations of a type', run: ({ type }) => listType(parts, type) },
      ),
    },
  };
  return [all, ofType];
}

async function listAll(parts: SyncParts, vocabulary: 'canonical' | 'alias') {
  const rows = await parts.store.db
    .selectFrom('destinations')
    .select(['type', 'name'])
    .orderBy('type')
    .orderBy('name')
    .execute();
  const names = new Map<string, string[]>();
  for (const { type, name } of rows) {
    const shown = typeName(type, vocabulary);
    names.set(shown, [...(names.get(shown) ?? []), name]);
  }
  const keys = [...names.keys()].map((type) => `${type}/`);
  const key_info = Object.fromEntries([...names].map(([type, list]) => [`${type}/`, list]));
  return rows.length === 0 ? undefined : { data: { keys, key_info, total_destinations: rows.length } };
}

async function listType(parts: SyncParts, type: string) {
  const definition = definitionOf(parts.definitions, type);
  const query = parts.store.db.selectFrom('destinations').select('name').where('type', '=', definition.type);
  const rows = await query.orderBy('name').execute();
  if (rows.length === 0) return undefined;
  return { data: { keys: rows.map(({ name }) => name), total_destinations: rows.length } };
}
