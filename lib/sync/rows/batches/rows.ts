import { notFound } from '#core/errors.ts';
import { isUuid } from '#core/ids.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import type { Batch } from '../../batches/batch.ts';
import { cancelBatch, listBatches, loadBatch } from '../../batches/store.ts';
import { afterDated, datedPosition, pageOf, shortFields } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import { batchFields, create } from './create.ts';
import { batchReader } from './readable.ts';
import { batchView } from './view.ts';

/** The rows below `sys/sync/batches`. */
export function batchRows(parts: SyncParts): readonly Row[] {
  const id = { id: pathText('Id of the batch') };
  const cancel = async ({ id }: { readonly id: string }, context: RequestContext) => {
    await required(parts, id, context);
    await cancelBatch(parts.store, context.namespace.id, id);
    return show(parts, id, context);
  };
  return [
    {
      pattern: 'sync/batches',
      help: 'Replays, forces, sets again or removes all associations that match a filter, in the background.',
      operations: {
        write: operation(batchFields, {
          summary: 'Start a batch',
          knownFieldsOnly: true,
          replies: accepted,
          run: (input, context) => create(parts, input, context),
        }),
      },
    },
    {
      pattern: 'sync/batches/',
      help: 'Lists the batches of the namespace, the newest first. Those that concern destinations whose associations the caller may not read are left out.',
      operations: {
        list: operation(shortFields, { summary: 'List batches', run: (page, context) => list(parts, page, context) }),
      },
    },
    {
      pattern: 'sync/batches/:id',
      help: 'Shows how far a batch has come and what became of its associations, or cancels it.',
      operations: {
        read: operation(id, { summary: 'Read a batch', run: ({ id }, context) => show(parts, id, context) }),
        delete: operation(id, { summary: 'Cancel a batch', run: cancel }),
      },
    },
    {
      pattern: 'sync/batches/:id/cancel',
      help: 'Cancels a batch: it changes no further association. What it has changed stays changed.',
      operations: { write: operation(id, { summary: 'Cancel a batch', run: cancel }) },
    },
  ];
}

async function list(parts: SyncParts, page: Page, context: RequestContext): Promise<Reply> {
  const mayRead = batchReader(parts, context);
  const readable: Batch[] = [];
  for (const batch of await listBatches(parts.store, context.namespace.id))
    if (await mayRead(batch)) readable.push(batch);
  const { shown, more } = pageOf(afterDated(readable, page), page, datedPosition);
  const key_info = Object.fromEntries(
    shown.map((batch) => [batch.id, batchView(parts.definitions, batch, context.vocabulary)]),
  );
  return shown.length === 0 ? undefined : { data: { keys: shown.map(({ id }) => id), key_info, ...more } };
}

async function show(parts: SyncParts, id: string, context: RequestContext) {
  return { data: batchView(parts.definitions, await required(parts, id, context), context.vocabulary) };
}

/** @throws AppError `not-found` also when it concerns a destination whose associations the caller may not read */
async function required(parts: SyncParts, id: string, context: RequestContext) {
  const batch = isUuid(id) ? await loadBatch(parts.store, context.namespace.id, id) : undefined;
  if (batch === undefined || !(await batchReader(parts, context)(batch))) throw notFound();
  return batch;
}
