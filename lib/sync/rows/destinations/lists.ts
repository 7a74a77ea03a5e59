import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { definitionOf, storedTypeIn } from '../../model/definition.ts';
import { asksForPart, pageOf, partsOf, positionFields, shownMax, sizeOf } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';

/** The rows that list `sys/sync/destinations` and `sys/sync/destinations/:type`. */
export function destinationLists(parts: SyncParts): readonly Row[] {
  const all: Row = {
    pattern: 'sync/destinations/',
    help: 'Lists the types that have destinations, with the names of these destinations.',
    operations: {
      list: operation(positionFields, {
        summary: 'List destinations',
        run: (page, context) => (asksForPart(page) ? pageOfAll(parts, page, context) : listAll(parts, context)),
      }),
    },
  };
  const ofType: Row = {
    pattern: 'sync/destinations/:type/',
    help: 'Lists the destinations of a type.',
    operations: {
      list: operation(
        { type: pathText('Destination type'), ...positionFields },
        {
          summary: 'List the destinations of a type',
          run: ({ type, ...page }, context) =>
            asksForPart(page) ? pageOfType(parts, type, page, context) : listType(parts, type, context),
        },
      ),
    },
  };
  return [all, ofType];
}

type ReadContext = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn'>;

type Named = RowOf<typeof namedColumns>;

const namedColumns = {
  type: text,
  name: text,
};

async function listAll(parts: SyncParts, { namespace, vocabulary, warn }: ReadContext) {
  const { rows } = await rowsOf(namedColumns)`
    select type, name from destinations where namespace_id = ${namespace.id} order by type, name limit ${shownMax + 1}`.execute(
    parts.store.db,
  );
  const shown = firstOf(rows, warn);
  const byType = namesByType(parts, shown, vocabulary);
  return shown.length === 0 ? undefined : { data: { ...byType, total_destinations: shown.length } };
}

function namesByType({ definitions }: SyncParts, rows: readonly Named[], vocabulary: ReadContext['vocabulary']) {
  const byType = Map.groupBy(rows, ({ type }) => `${storedTypeIn(definitions, type, vocabulary)}/`);
  const keys = [...byType.keys()].sort();
  return { keys, key_info: Object.fromEntries(keys.map((type) => [type, byType.get(type)?.map(({ name }) => name)])) };
}

/** A position is the path of a destination below `sys/sync/destinations/`. */
async function pageOfAll(parts: SyncParts, page: Page, { namespace, vocabulary }: ReadContext) {
  const [given, name] = page.after === '' ? ['', ''] : partsOf(page.after);
  const type = given === '' ? '' : definitionOf(parts.definitions, given, vocabulary, 'after').type;
  const { rows } = await rowsOf(namedColumns)`
    select type, name from destinations
     where namespace_id = ${namespace.id} and (type, name) > (${type}, ${name})
     order by namespace_id, type, name limit ${sizeOf(page) + 1}`.execute(parts.store.db);
  const { shown, more, warnings } = pageOf(rows, page, (last) => {
    return `${storedTypeIn(parts.definitions, last.type, vocabulary)}/${last.name}`;
  });
  return shown.length === 0 ? undefined : { data: { ...namesByType(parts, shown, vocabulary), ...more }, warnings };
}

/** A position is a name. */
async function pageOfType(parts: SyncParts, given: string, page: Page, { namespace, vocabulary }: ReadContext) {
  const { type } = definitionOf(parts.definitions, given, vocabulary);
  const { rows } = await rowsOf(namedColumns)`
    select type, name from destinations
     where namespace_id = ${namespace.id} and type = ${type} and name > ${page.after}
     order by namespace_id, type, name limit ${sizeOf(page) + 1}`.execute(parts.store.db);
  const { shown, more, warnings } = pageOf(rows, page, ({ name }) => name);
  return shown.length === 0 ? undefined : { data: { keys: shown.map(({ name }) => name), ...more }, warnings };
}

async function listType(parts: SyncParts, given: string, { namespace, vocabulary, warn }: ReadContext) {
  const { type } = definitionOf(parts.definitions, given, vocabulary);
  const { rows } = await rowsOf(namedColumns)`
    select type, name from destinations where namespace_id = ${namespace.id} and type = ${type} order by name limit ${shownMax + 1}`.execute(
    parts.store.db,
  );
  const keys = firstOf(rows, warn).map(({ name }) => name);
  return keys.length === 0 ? undefined : { data: { keys, total_destinations: keys.length } };
}

function firstOf(rows: readonly Named[], warn: RequestContext['warn']): readonly Named[] {
  if (rows.length <= shownMax) return rows;
  warn(`this list shows only the first ${shownMax} destinations: there are more`);
  return rows.slice(0, shownMax);
}

/**
 * The row `sys/sync/destinations/:type/:name` for types that do not exist; each existing type has a more specific row. It refuses a
 * mistyped type with the same message as the lists and associations, instead of as an unknown path.
 */
export function unknownTypeRow({ definitions }: SyncParts): Row {
  const known = definitions.map(({ type }) => type).join(', ');
  const fields = { type: pathText(`Destination type: one of ${known}`), name: pathText('Name of the destination') };
  const refusing = (summary: string) =>
    operation(fields, {
      summary,
      // Only a known type has further fields.
      ignores: ['purge', 'force_delete'],
      run: async ({ type }, { vocabulary }) => {
        definitionOf(definitions, type, vocabulary);
        return undefined;
      },
    });
  return {
    pattern: 'sync/destinations/:type/:name',
    help: `Manages a destination. Its fields depend on its type, which is one of ${known}.`,
    exists: async () => false,
    operations: {
      read: refusing('Read a destination'),
      write: refusing('Create or replace a destination'),
      patch: refusing('Change the given fields of a destination'),
      delete: refusing('Delete a destination'),
    },
  };
}
