import { sql, type Transaction } from 'kysely';
import { notFound } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, type Fields, pathText } from '#path/fields.ts';
import type { Database } from '#store/tables.ts';
import { withDefaults } from '../../drivers/connection.ts';
import { beginMarkings } from '../../marking/begin.ts';
import { sharedReadings } from '../../records/overview/readings.ts';
import { asMerge, asWrite, isSensitive } from '../fields/forms.ts';
import { unmask } from '../fields/mask.ts';
import type { SyncParts } from '../parts.ts';
import { isPauseAlone, mentionsPause } from '../pause/fields.ts';
import { waitForOperations } from '../pause/in-flight.ts';
import { mayReadAssociations } from '../rights/readable.ts';
import { deleteDestination } from './delete.ts';
import { commonFields, mergeFields } from './fields.ts';
import { judged } from './guard/judged.ts';
import { refusesUnprotected } from './guard/protection.ts';
import { merged, replaced, type Wanted } from './merge.ts';
import { applyPause, isUnchanged, pauseDestination } from './pause.ts';
import { resultsOf, resultsView } from './results.ts';
import { forgetFailedPurge, loadDestination, refuseDuringPurge, saveDestination } from './store.ts';
import { type DestinationRecord, destinationView } from './view.ts';

type Given = Readonly<Record<string, unknown>>;

/** The row `sys/sync/destinations/<type>/:name` of one type. */
export function destinationRow(parts: SyncParts, definition: DestinationDefinition): Row {
  const name = { name: pathText('Name of the destination') };
  const own: Fields = { ...commonFields(definition), ...definition.fields };
  const results = sharedReadings((id) => resultsOf(parts.store, id));
  return {
    pattern: `sync/destinations/${definition.type}/:name`,
    help: `Manages a destination in ${definition.title}.`,
    exists: async (input, { namespace }) => {
      const key = { namespace_id: namespace.id, type: definition.type, name: String(input['name']) };
      return (await loadDestination(parts.store, parts.store.db, key)) !== undefined;
    },
    operations: {
      read: operation(name, {
        summary: 'Read a destination, with sensitive values masked and the numbers of its syncs',
        run: (input, context) => read(parts, definition, input.name, context, results),
      }),
      write: operation(
        { ...asWrite(own), ...name },
        {
          summary: 'Create or replace a destination',
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
          purge: bool().default(false).meta({ description: 'Remove all its secrets first, in the background' }),
          force_delete: bool()
            .default(false)
            .meta({ description: 'Delete it at once and leave its secrets where they are' }),
        },
        {
          summary: 'Delete a destination',
          run: (input, context) => deleteDestination(parts, definition, input, context),
        },
      ),
    },
  };
}

const loadNamed = (parts: SyncParts, { type }: DestinationDefinition, name: string, { namespace }: RequestContext) =>
  loadDestination(parts.store, parts.store.db, { namespace_id: namespace.id, type, name });

/** Unlike the replies of changes, a read also has the times of the settings and, for those who may see them, the results of the syncs. */
async function read(
  parts: SyncParts,
  definition: DestinationDefinition,
  name: string,
  context: RequestContext,
  results: (id: string) => ReturnType<typeof resultsOf>,
) {
  const record = await loadNamed(parts, definition, name, context);
  if (record === undefined) return undefined;
  const mayReadResults = await mayReadAssociations(context, { type: definition.type, name });
  return {
    data: {
      ...destinationView(definition, record, context.vocabulary),
      created_at: record.createdAt.toISOString(),
      updated_at: record.updatedAt.toISOString(),
      ...(mayReadResults ? resultsView(await results(record.id), context.vocabulary) : {}),
    },
  };
}

async function show(parts: SyncParts, definition: DestinationDefinition, name: string, context: RequestContext) {
  const record = await loadNamed(parts, definition, name, context);
  return record === undefined ? undefined : { data: destinationView(definition, record, context.vocabulary) };
}

/** Creates or replaces a destination. This abandons a failed purge of it. */
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

/** Changes single fields. A failed purge stays failed, because the change may be meant to let it succeed on the next request. */
async function merge(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
) {
  if (isPauseAlone(input)) {
    const key = { namespace_id: context.namespace.id, type: definition.type, name: String(input['name']) };
    await pauseDestination(parts, key, input, context.signal);
    return show(parts, definition, key.name, context);
  }
  return change(parts, definition, input, context, async (before) => {
    if (before === undefined) throw notFound();
    return merged(definition, own, before, unmask(definition, input, before.connection));
  });
}

/** Changes a destination in one transaction. All its associations read PENDING from the commit on, unless only its pause changed. */
async function change(
  parts: SyncParts,
  definition: DestinationDefinition,
  input: Given,
  context: RequestContext,
  decide: (before: DestinationRecord | undefined, tx: Transaction<Database>) => Promise<Wanted>,
) {
  const name = String(input['name']);
  const key = { namespace_id: context.namespace.id, type: definition.type, name };
  const { marked, paused } = await parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, key, 'update');
    if (before !== undefined) refuseDuringPurge(before);
    const wanted = await decide(before, tx);
    const values = await judged(parts, definition, { tx, namespaceId: key.namespace_id, before, wanted, input });
    await saveDestination(parts.store, tx, definition, key.namespace_id, { ...values, name });
    const pause = mentionsPause(input) ? await applyPause(parts, tx, key, before, input) : undefined;
    if (before === undefined) return { marked: [], paused: undefined };
    const paused = pause?.disabled === true ? before.id : undefined;
    if (pause !== undefined && isUnchanged(definition, before, values)) return { marked: [], paused };
    const forced = reshapes(definition, before.connection, values.connection);
    const changed = sql`id = ${before.id}::bigint`;
    return { marked: await beginMarkings(tx, changed, { reason: 'destination', forced }), paused };
  });
  const warnings = await parts.marker.begun(marked);
  if (paused !== undefined) await waitForOperations(parts, context.signal, paused);
  const reply = await show(parts, definition, name, context);
  return { ...reply, warnings };
}

/** Whether settings changed that may affect the objects themselves. New credentials do not; any other setting may. */
function reshapes(definition: DestinationDefinition, before: Given, after: Given): boolean {
  const settings = Object.keys(definition.fields).filter((field) => !isSensitive(definition.fields, field));
  const [old, fresh] = [withDefaults(definition.fields, before), withDefaults(definition.fields, after)];
  return settings.some((field) => JSON.stringify(old[field]) !== JSON.stringify(fresh[field]));
}
