import { badRequest } from '../../core/errors.ts';
import { text } from '../../path/fields.ts';
import { operation, type Row } from '../../path/row.ts';
import { replay } from '../replay.ts';
import { type SyncStatus, toStatus } from '../status.ts';
import { definitionOf, type SyncParts } from './parts.ts';

const fields = {
  type: text().optional().meta({ description: 'Only destinations of this type' }),
  name: text().optional().meta({ description: 'Only destinations of this name' }),
  sync_status: text().optional().meta({ description: 'Only syncs in this state; default: the three error states' }),
};

/** `sys/sync/replay`. */
export function replayRow(parts: SyncParts): Row {
  return {
    pattern: 'sync/replay',
    help: 'Puts failed syncs back in the queue. One call replays at most 10,000.',
    operations: {
      write: operation(fields, {
        summary: 'Replay failed syncs',
        async run(input) {
          const type = input.type === undefined ? undefined : definitionOf(parts.definitions, input.type).type;
          const filter = { type, name: input.name, syncStatus: wantedStatus(input.sync_status) };
          const { replayed, warnings } = await replay(parts.store, parts.changed, filter);
          // Queued: at once or, past the first thousand or while the queue is full, by the sweep.
          return { data: { queued: replayed, replayed }, warnings };
        },
      }),
    },
  };
}

function wantedStatus(given: string | undefined): SyncStatus | undefined {
  if (given === undefined || given === '') return undefined;
  const status = toStatus(given === 'INTERNAL_VAULT_ERROR' ? 'INTERNAL_ERROR' : given);
  if (status !== 'UNKNOWN') return status;
  throw badRequest(
    `unknown sync_status ${JSON.stringify(given)}: it is one of PENDING, SYNCED, UNSYNCED, CLIENT_SIDE_ERROR, EXTERNAL_SERVICE_ERROR, INTERNAL_ERROR`,
  );
}
