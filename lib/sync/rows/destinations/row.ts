import { sql, type Transaction } from 'kysely';
import { notFound } from '../../../core/errors.ts';
import type { DestinationDefinition } from '../../../destinations/contract.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, type Fields, pathText } from '../../../path/fields.ts';
import type { Database } from '../../../store/tables.ts';
import { withDefaults } from '../../drivers/connection.ts';
import { beginMarkings } from '../../marking/begin.ts';
import { mustHaveApp } from '../apps/store.ts';
import type { SyncParts } from '../parts.ts';
import { deleteDestination } from './delete.ts';
import { asMerge, asWrite, commonFields, isSensitive, mergeFields } from './fields.ts';
import { checkImmutable, mustGiveCredentials, mustNameReadable } from './guard/credentials.ts';
import { mustBeOpenable } from './guard/network.ts';
import { refusesUnprotected } from './guard/protection.ts';
import { unmask } from './mask.ts';
import { merged, replaced, type Wanted } from './merge.ts';
import { forgetFailedPurge, loadDestination, refuseDuringPurge, saveDestination } from './store.ts';
import { toValues } from './values.ts';
import { type DestinationRecord, destinationView } from './view.ts';

type Given = Readonly<Record<string, unknown>>;

/** `sys/sync/destinations/<type>/:name` of one type. */
export function destinationRow(parts: SyncParts, definition: DestinationDefinition): Row {
  const name = { name: pathText('Name of the destination') };
  const own: Fields = { ...commonFields(definition), ...definition.fields };
  return {
    pattern: `sync/destinations/${definition.type}/:name`,
    help: `A destination in ${definition.title}.`,
    exists: async (input, { namespace }) => {
      const key = { namespace_id: namespace.id, type: definition.type, name: String(input['name']) };
      return (await loadDestination(parts.store, parts.store.db, key)) !== undefined;
    },
    operations: {
      read: operation(name, {
        summary: 'Read a destination; sensitive values are masked',
        run: (input, context) => show(parts, definition, input.name, context),
      }),
      write: operation(
        { ...asWrite(own), ...name },
        {
          summary: 'Create a destination, or replace it as a whole',
          refuses: refusesUnprotected(definition),
          run: (input, context) => replace(parts, definition, own, input, context),
        },
      ),
      patch: operation(
        { ...asMerge(own), ...mergeFields(definition), ...name },
        {
          summary: 'Change the given fields of a destination',
          refuses: refusesUnprotected(definition),
          run: (input, context) => merge(parts, definition, own, input, context),
        },
      ),
      delete: operation(
        {
          ...name,
          purge: bool().default(false).meta({ description: 'Remove all its secrets first, without waiting for it' }),
          force_delete: bool().default(false).meta({ description: 'Forget it and leave its secrets where they are' }),
        },
        {
          summary: 'Delete a destination',
          run: (input, context) => deleteDestination(parts, definition, input, context),
        },
      ),
    },
  };
}

async function show(parts: SyncParts, definition: DestinationDefinition, name: string, context: RequestContext) {
  const key = { namespace_id: context.namespace.id, type: definition.type, name };
  const record = await loadDestination(parts.store, parts.store.db, key);
  return record === undefined ? undefined : { data: destinationView(definition, record, context.vocabulary) };
}

/** A destination that is written as a whole is wanted: a purge of it that had failed is given up. */
async function replace(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
) {
  return change(parts, definition, input, context, async (before, tx) => {
    if (before !== undefined) await forgetFailedPurge(tx, before);
    return replaced(own, before, unmask(definition, input, before?.connection));
  });
}

/** Mends single fields, perhaps so that a purge that had failed can be asked for again: it stays as it is. */
async function merge(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
) {
  return change(parts, definition, input, context, async (before) => {
    if (before === undefined) throw notFound();
    return merged(definition, own, before, unmask(definition, input, before.connection));
  });
}

/** One transaction; of a destination that was there, all associations are PENDING from its commit on. */
async function change(
  parts: SyncParts,
  definition: DestinationDefinition,
  input: Given,
  context: RequestContext,
  decide: (before: DestinationRecord | undefined, tx: Transaction<Database>) => Promise<Wanted>,
) {
  const name = String(input['name']);
  const key = { namespace_id: context.namespace.id, type: definition.type, name };
  mustNameReadable(definition, input, parts.credentialsDir);
  const marked = await parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, key, 'update');
    if (before !== undefined) refuseDuringPurge(before);
    const values = toValues(definition, await decide(before, tx));
    mustBeOpenable(parts.networkBounds, input, values.network);
    if (before !== undefined) {
      checkImmutable(definition, before.connection, values.connection);
      mustGiveCredentials(definition, before, values, input);
    }
    await mustHaveApp(parts, tx, key.namespace_id, definition, values.connection);
    await saveDestination(parts.store, tx, definition, key.namespace_id, { ...values, name });
    if (before === undefined) return [];
    const forced = reshapes(definition, before.connection, values.connection);
    return beginMarkings(tx, sql`id = ${before.id}::bigint`, { reason: 'destination', forced });
  });
  const warnings = await parts.marker.begun(marked);
  const reply = await show(parts, definition, name, context);
  return { ...reply, warnings };
}

/** New credentials change no object; any other setting (keys, environments, visibility) may be one of the objects. */
function reshapes(definition: DestinationDefinition, before: Given, after: Given): boolean {
  const settings = Object.keys(definition.fields).filter((field) => !isSensitive(definition.fields, field));
  const [old, fresh] = [withDefaults(definition.fields, before), withDefaults(definition.fields, after)];
  return settings.some((field) => JSON.stringify(old[field]) !== JSON.stringify(fresh[field]));
}
