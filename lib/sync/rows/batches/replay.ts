import { badField } from '#core/errors.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { type Input, text } from '#path/fields.ts';
import { replayFilter } from '../../batches/replay/filter.ts';
import { replay } from '../../batches/replay/replay.ts';
import { recordFilterFields } from '../../records/filter.ts';
import type { SyncParts } from '../parts.ts';
import { boundFields, create } from './create.ts';

const fields = {
  type: text().optional().meta({ description: 'Only destinations of this type' }),
  name: text().optional().meta({ description: 'Only destinations of this name' }),
  sync_status: text().optional().meta({ description: 'Only syncs in this state; default: the three error states' }),
  cursor: text().optional().meta({ description: 'Continue where an earlier replay with the same fields ended' }),
};

const { kind, mount, prefix, secret, rule, unconfirmed, drift } = recordFilterFields;
/** With one of these fields, a replay is a batch. */
const batchFields = { kind, mount, prefix, secret, rule, unconfirmed, drift, ...boundFields };

/** The time limit of one call, in milliseconds: shorter than the timeouts of clients and gateways. */
const replayMsMax = 10_000;

/** The row `sys/sync/replay`. */
export function replayRow(parts: SyncParts): Row {
  return {
    pattern: 'sync/replay',
    help: 'Puts failed syncs back in the queue. If the reply has a cursor, send the same fields and the cursor to continue. With a further filter, limit, rate or dry_run it starts a batch, or counts, and replies as sys/sync/batches does.',
    operations: {
      write: operation(
        { ...fields, ...batchFields },
        {
          summary: 'Replay failed syncs',
          knownFieldsOnly: true,
          replies: accepted,
          async run(input, context) {
            if (isBatch(input)) return startBatch(parts, input, context);
            const { namespace, vocabulary, signal } = context;
            const given = replayFilter(parts.definitions, input, vocabulary);
            const filter = { ...given, namespaceId: namespace.id };
            const inTime = AbortSignal.any([signal, AbortSignal.timeout(replayMsMax)]);
            const { warnings, ...data } = await replay(parts, filter, inTime);
            return { data, warnings };
          },
        },
      ),
    },
  };
}

type Given = Input<typeof fields & typeof batchFields>;

const isBatch = (input: Given): boolean =>
  Object.keys(batchFields).some((name) => input[name as keyof typeof batchFields] !== undefined);

/** A replay never needs `all`, because it selects failed syncs unless it names another state. */
async function startBatch(parts: SyncParts, input: Given, context: RequestContext): Promise<Reply | Accepted> {
  const { sync_status, cursor, ...given } = input;
  if (cursor !== undefined && cursor !== '')
    throw badField(
      'cursor',
      'cursor continues a replay without a batch: send it with type, name and sync_status alone',
    );
  const status = sync_status === undefined || sync_status === '' ? undefined : [sync_status];
  return create(parts, { ...given, status, ids: undefined, action: 'replay', all: true }, context);
}
