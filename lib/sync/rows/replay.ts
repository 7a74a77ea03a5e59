import { operation, type Row } from '../../path/contract/row.ts';
import { text } from '../../path/fields.ts';
import { replayFilter } from '../replay/filter.ts';
import { replay } from '../replay/replay.ts';
import type { SyncParts } from './parts.ts';

const fields = {
  type: text().optional().meta({ description: 'Only destinations of this type' }),
  name: text().optional().meta({ description: 'Only destinations of this name' }),
  sync_status: text().optional().meta({ description: 'Only syncs in this state; default: the three error states' }),
  cursor: text().optional().meta({ description: 'Goes on where an earlier replay with the same fields ended' }),
};

/** How long one call replays, in milliseconds: within the patience of clients and gateways. */
const replayMsMax = 10_000;

/** `sys/sync/replay`. */
export function replayRow(parts: SyncParts): Row {
  return {
    pattern: 'sync/replay',
    help: 'Puts failed syncs back in the queue. A reply with a cursor is not through: send the same fields and the cursor for the rest.',
    operations: {
      write: operation(fields, {
        summary: 'Replay failed syncs',
        knownFieldsOnly: true,
        async run(input, { namespace, vocabulary, signal }) {
          const given = replayFilter(parts.definitions, input, vocabulary);
          const filter = { ...given, namespaceId: namespace.id };
          const inTime = AbortSignal.any([signal, AbortSignal.timeout(replayMsMax)]);
          const { warnings, ...data } = await replay(parts, filter, inTime);
          return { data, warnings };
        },
      }),
    },
  };
}
