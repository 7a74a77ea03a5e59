import { z } from 'zod';
import { badField, badRequest, notFound } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Fields, type Input, integer, pathText, text } from '#path/fields.ts';
import { fromCursor, toCursor } from '#sync/records/cursor.ts';
import type { ListedDestination } from '#sync/records/destinations.ts';
import { recordFilter, recordFilterFields } from '#sync/records/filter.ts';
import { placeOf, recordPage } from '#sync/records/page.ts';
import type { ListedRecord } from '#sync/records/record.ts';
import { commonFields, mergeFields } from '../../destinations/fields.ts';
import { refusesUnprotected } from '../../destinations/guard/protection.ts';
import { loadDestination } from '../../destinations/store.ts';
import { keyOf, wantedOf } from '../../destinations/unstored.ts';
import { asMerge } from '../../fields/forms.ts';
import type { SyncParts } from '../../parts.ts';
import { requireSecretRead } from '../../rights/secret-read.ts';
import { keepFields, keepIfAsked } from './keeping.ts';
import { countsOf, objectView, planOf, type Wanted } from './planning.ts';

const limitMax = 100;

const pageFields = {
  mount: text().optional().meta({ description: 'Only secrets of this mount' }),
  prefix: recordFilterFields.prefix,
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
            return record && plan(parts, { definition, destination: record, values: record, input, context });
          },
        },
      ),
      write: operation(
        { ...asMerge(own), ...mergeFields(definition), ...name, ...pageFields, ...keepFields },
        {
          summary: 'Plan the syncs of a destination with fields that are not stored yet, or keep the plan',
          refuses: refusesUnprotected(definition),
          async run(input, context) {
            const record = await loadDestination(parts.store, parts.store.db, keyOf(definition, input.name, context));
            if (record === undefined) throw notFound();
            const {
              mount: _mount,
              prefix: _prefix,
              secret_name: _secret,
              limit: _limit,
              after: _after,
              keep,
              plan_id,
              ...fields
            } = input;
            if (keep === true || (plan_id ?? '') !== '') refuseOtherChanges(fields);
            const values = await wantedOf(parts, definition, own, fields, context);
            const isSet = 'secret_name_template' in fields || 'granularity' in fields;
            return plan(parts, { definition, destination: record, values, input, context, isSet });
          },
        },
      ),
    },
  };
}

interface Asked extends Pick<Wanted, 'definition' | 'destination' | 'values' | 'isSet'> {
  readonly input: Input<typeof pageFields> & Partial<Input<typeof keepFields>>;
  readonly context: RequestContext;
}

async function plan(parts: SyncParts, { input, context, ...asked }: Asked): Promise<Reply> {
  const { id, name } = asked.destination;
  const page = await pageOf(parts, { id, type: asked.definition.type, name }, input);
  const isKept = input.keep === true || (input.plan_id ?? '') !== '';
  if (asked.isSet === true) {
    await requireReads(parts, page.records, context);
    if (isKept) refuseRuled(page.records);
  }
  const wanted = { ...asked, records: page.records };
  const { planned, done } = await planOf(parts, wanted, context);
  const planId = await keepIfAsked(parts, input, [{ wanted, planned, done }], context);
  const last = page.records[done - 1];
  const isOver = last === undefined || (done === page.records.length && page.next === undefined);
  return {
    data: {
      objects: planned.map(objectView),
      counts: countsOf(planned),
      total: page.total,
      total_at_least: page.totalAtLeast,
      after: isOver ? null : toCursor(placeOf(last)),
      ...(planId === undefined ? {} : { plan_id: planId }),
    },
  };
}

/** A plan that is kept changes associations, and those of a rule are as the rule says. */
function refuseRuled(records: readonly ListedRecord[]): void {
  const ruled = records.find(({ rule_name }) => rule_name !== null);
  if (ruled === undefined) return;
  const secret = `${ruled.mount_path}${ruled.secret_name}`;
  throw badRequest(
    `the plan cannot be kept: ${secret} is associated by the rule ${ruled.rule_name}, which has its own template and granularity`,
  );
}

const keptChanges: readonly string[] = ['name', 'secret_name_template', 'granularity'];

/** Other fields belong to the whole destination: an apply that stored them would change more than was planned. */
function refuseOtherChanges(fields: Readonly<Record<string, unknown>>): void {
  const others = Object.keys(fields).filter((field) => fields[field] !== undefined && !keptChanges.includes(field));
  if (others.length > 0)
    throw badField(
      others,
      `${others.join(', ')} cannot be kept in a plan, only secret_name_template and granularity: write them to the destination, and plan again`,
    );
}

/** The secrets of a page, along the index of the lists of records. */
function pageOf({ store, definitions }: SyncParts, destination: ListedDestination, input: Input<typeof pageFields>) {
  const { mount, prefix, secret_name: secret, limit, after } = input;
  const filter = recordFilter(definitions, { mount, prefix, secret });
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
