import { z } from 'zod';
import { notFound } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, integer, pathText, text } from '#path/fields.ts';
import { fromCursor, toCursor } from '../../records/cursor.ts';
import { destinationsMax, listedDestinations } from '../../records/destinations.ts';
import { recordFilter, recordFilterFields } from '../../records/filter.ts';
import { attemptsPerRecord, historyOf } from '../../records/history.ts';
import { oneRecord, recordPage } from '../../records/page.ts';
import { isRecordId, type ListedRecord } from '../../records/record.ts';
import { withRule } from '../../rules/named.ts';
import type { SyncParts } from '../parts.ts';
import { mayReadAssociations, readableOf } from '../rights/readable.ts';
import { attemptView, recordView } from './view.ts';

const limitMax = 500;

const listFields = {
  ...recordFilterFields,
  limit: integer()
    .pipe(z.int().min(1, 'limit must be at least 1').max(limitMax, `limit must be at most ${limitMax}`))
    .default(100)
    .meta({ description: `How many records a page has, at most ${limitMax}` }),
  after: text().optional().meta({ description: 'Continue after an earlier page: its `after`, with the same filter' }),
};

/** The rows `sys/sync/records` and below. */
export function recordRows(parts: SyncParts): readonly Row[] {
  return [
    {
      pattern: 'sync/records',
      help: 'Shows the state of syncs page by page, narrowed by any of the fields. Destinations whose associations the caller may not read are left out.',
      operations: {
        read: operation(listFields, {
          summary: 'Read the state of syncs',
          knownFieldsOnly: true,
          run: (input, context) => list(parts, input, context),
        }),
      },
    },
    {
      pattern: 'sync/records/:id',
      help: 'Shows the state of one sync.',
      operations: {
        read: operation(
          { id: pathText('Id of the record') },
          {
            summary: 'Read the state of a sync',
            run: async ({ id }, context) => {
              const record = await readableRecord(parts, id, context);
              return { data: recordView(parts.definitions, record, context.vocabulary) };
            },
          },
        ),
      },
    },
    {
      pattern: 'sync/records/:id/history',
      help: `Shows the last attempts of a sync, at most ${attemptsPerRecord}, the newest first: how long each took, its outcome, and why it failed.`,
      operations: {
        read: operation(
          { id: pathText('Id of the record') },
          {
            summary: 'Read the last attempts of a sync',
            run: async ({ id }, context) => {
              const record = await readableRecord(parts, id, context);
              return { data: { attempts: (await historyOf(parts.store, record.id)).map(attemptView) } };
            },
          },
        ),
      },
    },
  ];
}

type ReadContext = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn' | 'mustBeAllowed' | 'caller'>;

async function list(parts: SyncParts, input: Input<typeof listFields>, context: ReadContext): Promise<Reply> {
  const { namespace, vocabulary, warn } = context;
  const filter = await withRule(parts, recordFilter(parts.definitions, input, vocabulary), namespace.id);
  const after = input.after === undefined || input.after === '' ? undefined : fromCursor(input.after);
  const found = await listedDestinations(parts.store, namespace.id, filter);
  if (found.length > destinationsMax) warn(`only the first ${destinationsMax} destinations are looked at`);
  const destinations = await readableOf(context, found.slice(0, destinationsMax));
  const page = await recordPage(parts.store, { destinations, filter, limit: input.limit, after });
  return {
    data: {
      records: page.records.map((record) => recordView(parts.definitions, record, vocabulary)),
      total: page.total,
      total_at_least: page.totalAtLeast,
      after: page.next === undefined ? null : toCursor(page.next),
    },
  };
}

/** @throws AppError `not-found` also when the caller may not read the associations of its destination */
export async function readableRecord(parts: SyncParts, id: string, context: ReadContext): Promise<ListedRecord> {
  const record = isRecordId(id) ? await oneRecord(parts.store, context.namespace.id, id) : undefined;
  if (record === undefined) throw notFound();
  const destination = { type: record.type, name: record.destination_name };
  if (!(await mayReadAssociations(context, destination))) throw notFound();
  return record;
}
