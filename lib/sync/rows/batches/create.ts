import { z } from 'zod';
import { badField } from '#core/errors.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { bool, duration, type Input, integer, number, text, textList } from '#path/fields.ts';
import { type BatchAction, requestedActions } from '../../batches/batch.ts';
import { previewBatch } from '../../batches/preview.ts';
import { destinationsNamed } from '../../batches/replay/page.ts';
import { createBatch, loadBatch, type NewBatch } from '../../batches/store.ts';
import { isEmptyFilter, type RecordFilter, recordFilter, recordFilterFields } from '../../records/filter.ts';
import { isRecordId } from '../../records/record.ts';
import { withRule } from '../../rules/named.ts';
import type { SyncParts } from '../parts.ts';
import { batchReader, countedFor } from './readable.ts';
import { isRecorded, recordable } from './recordable.ts';
import { batchView, previewView } from './view.ts';

/** Ten years, in seconds. */
const olderSecondsMax = 315_360_000;

const limitMax = 1_000_000_000;
/** Records that a batch can name. */
const idsMax = 500;
/** Operations per second. */
const [rateMin, rateMax] = [0.01, 10_000];

/** Fields that bound a batch. */
export const boundFields = {
  older_than: duration()
    .refine((seconds) => seconds <= olderSecondsMax, `expected at most ${olderSecondsMax} seconds`)
    .optional()
    .meta({ description: 'Only associations that have not changed for this long' }),
  dry_run: bool().optional().meta({ description: 'Only count what would be changed' }),
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .optional()
    .meta({ description: 'Change at most this many associations' }),
  rate: number()
    .pipe(z.number().min(rateMin, `rate must be at least ${rateMin}`).max(rateMax, `rate must be at most ${rateMax}`))
    .optional()
    .meta({ description: 'Change at most this many associations per second' }),
};

export const batchFields = {
  action: text()
    .pipe(z.enum(requestedActions, { error: `action must be one of ${requestedActions.join(', ')}` }))
    .meta({
      description:
        'What to do: replay failed syncs, force a push of all, set associations again, or remove associations and copies',
    }),
  ...recordFilterFields,
  ids: textList()
    .optional()
    .meta({ description: `Only the records with these ids, at most ${idsMax}; an empty list counts as absent` }),
  all: bool().optional().meta({ description: 'Confirms that the filter is empty, which selects every association' }),
  ...boundFields,
};

/** Starts a batch (202), or counts what it would change. */
export async function create(
  parts: SyncParts,
  input: Input<typeof batchFields>,
  context: RequestContext,
): Promise<Reply | Accepted> {
  const { vocabulary } = context;
  const { action, all, dry_run, limit = null, rate = null } = input;
  // Every association has not changed for no time at all.
  const older_than = input.older_than === 0 ? undefined : input.older_than;
  const ids = requestedIds(input.ids);
  const filter = {
    ...(await withRule(parts, recordFilter(parts.definitions, input, vocabulary), context.namespace.id)),
    ids,
  };
  if (isEmptyFilter(filter) && older_than === undefined && all !== true)
    throw badField('all', 'the filter is empty: send all=true to select every association of the namespace');
  const updatedBefore = older_than === undefined ? null : new Date(parts.clock.now().getTime() - older_than * 1_000);
  const start = { action, filter, updatedBefore, limit, rate };
  return (dry_run === true ? previewOf : startBatch)(parts, start, context);
}

/** @throws AppError `bad-request` for a text that is no id, and for too many */
function requestedIds(given: readonly string[] | undefined): readonly string[] | undefined {
  if (given === undefined || given.length === 0) return undefined;
  if (given.length > idsMax) throw badField('ids', `ids must be at most ${idsMax}`);
  const strange = given.find((id) => !isRecordId(id));
  if (strange !== undefined) throw badField('ids', `ids: ${JSON.stringify(strange)} is not the id of a record`);
  return [...new Set(given)];
}

interface Start {
  readonly action: BatchAction;
  readonly filter: RecordFilter;
  readonly updatedBefore?: Date | null;
  /** With `remove`: only these secrets. */
  readonly secrets?: readonly string[] | undefined;
  readonly limit?: number | null;
  readonly rate?: number | null;
}

/** Counts what a batch would change at the destinations whose associations the caller may read. */
export async function previewOf(parts: SyncParts, start: Start, context: RequestContext): Promise<Reply> {
  const { action, filter, updatedBefore = null, secrets, limit = null } = start;
  const destinations = await countedFor(parts, filter, context);
  await destinationsNamed(parts.store, parts.definitions, { namespaceId: context.namespace.id, ...filter });
  const selection = { namespaceId: context.namespace.id, filter, updatedBefore, secrets, destinations };
  const ids = isRecorded(action) ? await recordable(parts, action, selection, limit, context) : undefined;
  const counted = ids === undefined ? selection : { ...selection, filter: { ...filter, ids } };
  const preview = await previewBatch(parts.store, action, counted);
  return { data: previewView(parts.definitions, action, preview, limit, context.vocabulary) };
}

/**
 * Stores a batch, from which the sweep continues, and replies with it (202).
 * @throws AppError `bad-request` when no destination has the name of the filter
 */
export async function startBatch(
  parts: SyncParts,
  start: Start,
  context: RequestContext,
): Promise<Accepted | undefined> {
  const { namespace } = context;
  const { action, filter, updatedBefore = null, secrets, limit = null, rate = null } = start;
  const selection = { namespaceId: namespace.id, filter, updatedBefore, secrets };
  await destinationsNamed(parts.store, parts.definitions, { namespaceId: namespace.id, ...filter });
  const associations = isRecorded(action) ? await recordable(parts, action, selection, limit, context) : undefined;
  const total = associations?.length ?? (await previewBatch(parts.store, action, selection)).total;
  const wanted = { ...selection, action, limit, rate, total };
  return replyOfNew(parts, associations === undefined ? wanted : { ...wanted, associations }, context);
}

/**
 * Stores a batch and replies with it (202). What a batch over destinations that the caller may not read would count is left out, unless the
 * caller may read each of its secrets.
 */
export async function replyOfNew(
  parts: SyncParts,
  wanted: NewBatch,
  context: RequestContext,
): Promise<Accepted | undefined> {
  const id = await createBatch(parts.store, wanted);
  const batch = await loadBatch(parts.store, wanted.namespaceId, id);
  if (batch === undefined) return undefined;
  const isShown = isRecorded(batch.action) || (await batchReader(parts, context)(batch));
  if (!isShown) context.warn('the batch concerns destinations whose associations you may not read: it cannot be shown');
  return {
    status: 202,
    data: isShown
      ? batchView(parts.definitions, batch, context.vocabulary)
      : { id, action: batch.action, state: batch.state },
  };
}
