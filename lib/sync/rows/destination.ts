import { sql } from 'kysely';
import { z } from 'zod';
import { badRequest } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import { bool, type Fields, pathText } from '../../path/fields.ts';
import { operation, type RequestContext, type Row } from '../../path/row.ts';
import { type Dirty, markDirty } from '../../store/outbox.ts';
import { deleteDestination } from './destination-delete.ts';
import { asMerge, checkImmutable, commonFields, mergeFields, unmask } from './destination-fields.ts';
import { loadDestination, refuseDuringPurge, saveDestination } from './destination-store.ts';
import { toValues } from './destination-values.ts';
import { type DestinationRecord, destinationView } from './destination-view.ts';
import type { SyncParts } from './parts.ts';

type Given = Readonly<Record<string, unknown>>;

/** `sys/sync/destinations/<type>/:name` of one type. */
export function destinationRow(parts: SyncParts, definition: DestinationDefinition): Row {
  const name = { name: pathText('Name of the destination') };
  const own: Fields = { ...commonFields(definition), ...definition.fields };
  return {
    pattern: `sync/destinations/${definition.type}/:name`,
    help: `A destination in ${definition.title}.`,
    exists: async (input) =>
      (await loadDestination(parts.store, parts.store.db, definition.type, String(input['name']))) !== undefined,
    operations: {
      read: operation(name, {
        summary: 'Read a destination; sensitive values are masked',
        run: (input, context) => show(parts, definition, input.name, context),
      }),
      write: operation(
        { ...own, ...name },
        {
          summary: 'Create a destination, or replace it as a whole',
          run: (input, context) => replace(parts, definition, input, context),
        },
      ),
      patch: operation(
        { ...asMerge(own), ...mergeFields(definition), ...name },
        {
          summary: 'Change the given fields of a destination',
          run: (input, context) => merge(parts, definition, own, input, context),
        },
      ),
      delete: operation(
        {
          ...name,
          purge: bool().default(false).meta({ description: 'Remove all its secrets first, without waiting for it' }),
          force_delete: bool().default(false).meta({ description: 'Forget it and leave its secrets where they are' }),
        },
        { summary: 'Delete a destination', run: (input) => deleteDestination(parts, definition, input) },
      ),
    },
  };
}

async function show(parts: SyncParts, definition: DestinationDefinition, name: string, context: RequestContext) {
  const record = await loadDestination(parts.store, parts.store.db, definition.type, name);
  return record === undefined ? undefined : { data: destinationView(definition, record, context.vocabulary) };
}

async function replace(parts: SyncParts, definition: DestinationDefinition, input: Given, context: RequestContext) {
  return change(parts, definition, String(input['name']), context, (before) =>
    toValues(definition, unmask(definition, input, before?.connection)),
  );
}

async function merge(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
) {
  return change(parts, definition, String(input['name']), context, (before) => {
    if (before === undefined) return undefined;
    const given = Object.fromEntries(
      Object.entries(unmask(definition, input, before.connection)).filter(([, value]) => value !== undefined),
    );
    const merged = withoutNulls({ ...asInput(before), ...given, custom_tags: mergedTags(before, given) });
    return toValues(definition, reparse(own, { ...merged, name: before.name }));
  });
}

/** The fields that a request would have to send to make this destination. */
const asInput = (record: DestinationRecord): Given => ({
  ...record.connection,
  ...record.network,
  granularity: record.granularity,
  secret_name_template: record.template ?? undefined,
  adopt: record.adopt,
});

function mergedTags(before: DestinationRecord, given: Given): Given | undefined {
  if (given['custom_tags'] === null) return undefined;
  const removed = new Set(given['tags_to_remove'] as readonly string[] | undefined);
  const all = { ...before.tags, ...(given['custom_tags'] as Given | undefined) };
  return Object.fromEntries(Object.entries(all).filter(([key]) => !removed.has(key)));
}

const withoutNulls = (values: Given): Given =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

function reparse(own: Fields, merged: Given): Given {
  const parsed = z.object({ ...own, name: z.string() }).safeParse(merged);
  if (parsed.success) return parsed.data;
  throw badRequest(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
}

/** One transaction; when the objects have to change, their associations are dirty in it too. */
async function change(
  parts: SyncParts,
  definition: DestinationDefinition,
  name: string,
  context: RequestContext,
  decide: (before: DestinationRecord | undefined) => ReturnType<typeof toValues> | undefined,
) {
  const dirty = await parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, definition.type, name, true);
    if (before !== undefined) refuseDuringPurge(before);
    const values = decide(before);
    if (values === undefined) return undefined;
    if (before !== undefined) checkImmutable(definition, before.connection, values.connection);
    await saveDestination(parts.store, tx, definition.type, { ...values, name }, parts.clock.now());
    if (before === undefined) return [];
    const where = sql`destination_id = ${before.id}::bigint and desired = 'present'`;
    return (await markDirty(where).execute(tx)).rows;
  });
  if (dirty === undefined) return undefined;
  const warnings = await parts.changed(dirty satisfies readonly Dirty[]);
  const reply = await show(parts, definition, name, context);
  return { ...reply, warnings };
}
