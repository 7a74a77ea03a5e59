import { z } from 'zod';
import { notFound } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Fields, type Input, integer, pathText, text } from '#path/fields.ts';
import { askWorker } from '../../ask/ask.ts';
import { plannedOf } from '../../ask/question.ts';
import { type Planned, plannedActions } from '../../reconcile/plan/planned.ts';
import { fromCursor, toCursor } from '../../records/cursor.ts';
import type { ListedDestination } from '../../records/destinations.ts';
import { placeOf, recordPage } from '../../records/page.ts';
import type { ListedRecord } from '../../records/record.ts';
import { templateOf } from '../../template/naming.ts';
import { asMerge } from '../fields/forms.ts';
import type { SyncParts } from '../parts.ts';
import { requireSecretRead } from '../rights/secret-read.ts';
import { commonFields, mergeFields } from './fields.ts';
import { refusesUnprotected } from './guard/protection.ts';
import { loadDestination } from './store.ts';
import { keyOf, type Values, wantedOf } from './unstored.ts';

const limitMax = 100;

const pageFields = {
  mount: text().optional().meta({ description: 'Only secrets of this mount' }),
  secret_name: text().optional().meta({ description: 'Only the secret at this path below the mount' }),
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .default(20)
    .meta({ description: `How many secrets a page has, at most ${limitMax}` }),
  after: text().optional().meta({ description: 'Continue after an earlier page: its `after`, with the same fields' }),
};

/** The row `sys/sync/destinations/<type>/:name/plan` of one type. */
export function planRow(parts: SyncParts, definition: DestinationDefinition): Row {
  const name = { name: pathText('Name of the destination') };
  const own: Fields = { ...commonFields(definition), ...definition.fields };
  return {
    pattern: `sync/destinations/${definition.type}/:name/plan`,
    help: `Shows what a sync to a destination in ${definition.title} would create, update, delete, refuse and leave, page by page. A worker of the type looks at the destination by reading calls only and writes nothing.`,
    operations: {
      read: operation(
        { ...name, ...pageFields },
        {
          summary: 'Plan the syncs of a destination as it is stored',
          knownFieldsOnly: true,
          async run(input, context) {
            const record = await loadDestination(parts.store, parts.store.db, keyOf(definition, input.name, context));
            return record === undefined
              ? undefined
              : plan(parts, definition, { values: record, id: record.id, input, context });
          },
        },
      ),
      write: operation(
        { ...asMerge(own), ...mergeFields(definition), ...name, ...pageFields },
        {
          summary: 'Plan the syncs of a destination with fields that are not stored yet',
          refuses: refusesUnprotected(definition),
          async run(input, context) {
            const record = await loadDestination(parts.store, parts.store.db, keyOf(definition, input.name, context));
            if (record === undefined) throw notFound();
            const { mount: _mount, secret_name: _secret, limit: _limit, after: _after, ...fields } = input;
            const values = await wantedOf(parts, definition, own, fields, context);
            const isSet = 'secret_name_template' in fields || 'granularity' in fields;
            return plan(parts, definition, { values, id: record.id, input, context, isSet });
          },
        },
      ),
    },
  };
}

interface Wanted {
  readonly values: Values;
  /** Of the destination. */
  readonly id: string;
  readonly input: Input<typeof pageFields> & { readonly name: string };
  readonly context: RequestContext;
  /** The plan is that of setting the associations again with the template and granularity of `values`. */
  readonly isSet?: boolean;
}

async function plan(parts: SyncParts, definition: DestinationDefinition, wanted: Wanted): Promise<Reply> {
  const { values, id, input, context, isSet = false } = wanted;
  const { type } = definition;
  const page = await pageOf(parts, { id, type, name: input.name }, input);
  if (isSet) await requireReads(parts, page.records, context);
  const { connection, network, rateGroup, tags, adopt, granularity } = values;
  const set = isSet ? { granularity, template: templateOf(definition, values.template, granularity) } : undefined;
  const associations = page.records.map((one) => one.id);
  const settings = {
    namespaceId: context.namespace.id,
    connection,
    network,
    rateGroup,
    tags,
    adopt,
    destinationId: id,
    associations,
  };
  const question = { kind: 'plan' as const, ...settings, ...(set && { set }) };
  const { planned, done } =
    associations.length === 0
      ? { planned: [], done: 0 }
      : plannedOf(await askWorker(parts, type, question, context.signal));
  const last = page.records[done - 1];
  const isOver = last === undefined || (done === associations.length && page.next === undefined);
  const counts = plannedActions.map((action) => [action, planned.filter((one) => one.action === action).length]);
  return {
    data: {
      objects: planned.map(objectView),
      counts: Object.fromEntries(counts),
      total: page.total,
      total_at_least: page.totalAtLeast,
      after: isOver ? null : toCursor(placeOf(last)),
    },
  };
}

const objectView = ({ kind, message, generation: _generation, version: _version, ...object }: Planned): object => ({
  ...object,
  error: kind === undefined ? null : { kind, message },
});

/** The secrets of a page, along the index of the lists of records. */
function pageOf({ store }: SyncParts, destination: ListedDestination, input: Input<typeof pageFields>) {
  const { mount, secret_name: secret, limit, after } = input;
  const filter = {
    ...(mount === undefined ? {} : { mount: `${mount.replace(/^\/+|\/+$/g, '')}/` }),
    ...(secret === undefined ? {} : { secret }),
  };
  const place = after === undefined || after === '' ? undefined : fromCursor(after);
  return recordPage(store, { destinations: [destination], filter, limit, after: place });
}

/** A plan of setting associations again needs the rights of setting them: another granularity shows the names of keys. */
async function requireReads(parts: SyncParts, page: readonly ListedRecord[], context: RequestContext): Promise<void> {
  for (const { mount_path, secret_name } of page) {
    const mount = await parts.mounts.resolve(mount_path, context.namespace);
    if (mount?.path === mount_path) await requireSecretRead(parts, context, mount, secret_name);
  }
}
