import { notFound } from '#core/errors.ts';
import { isUuid } from '#core/ids.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { cancelBatch, listBatches, loadBatch } from '../../batches/store.ts';
import type { SyncParts } from '../parts.ts';
import { batchFields, create } from './create.ts';
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
          run: (input, context) => create(parts, input, context),
        }),
      },
    },
    {
      pattern: 'sync/batches/',
      help: 'Lists the batches of the namespace, the newest first.',
      operations: {
        list: operation({}, { summary: 'List batches', run: (_input, context) => list(parts, context) }),
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

async function list(parts: SyncParts, { namespace, vocabulary }: RequestContext) {
  const batches = await listBatches(parts.store, namespace.id);
  const keys = batches.map(({ id }) => id);
  const key_info = Object.fromEntries(
    batches.map((batch) => [batch.id, batchView(parts.definitions, batch, vocabulary)]),
  );
  return keys.length === 0 ? undefined : { data: { keys, key_info } };
}

async function show(parts: SyncParts, id: string, context: RequestContext) {
  return { data: batchView(parts.definitions, await required(parts, id, context), context.vocabulary) };
}

async function required({ store }: SyncParts, id: string, { namespace }: RequestContext) {
  const batch = isUuid(id) ? await loadBatch(store, namespace.id, id) : undefined;
  if (batch === undefined) throw notFound();
  return batch;
}
