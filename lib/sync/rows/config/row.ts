import { sql } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../../core/errors.ts';
import type { ReplyContent } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, integer } from '../../../path/fields.ts';
import type { Store } from '../../../store/store.ts';
import { loadSettings, type SyncSettings } from '../../sweep/requeue.ts';
import type { SyncParts } from '../parts.ts';
import { inFlight, stillInFlight } from './in-flight.ts';

/** The defaults. */
const defaults: SyncSettings = { disabled: false, queue_capacity: 1_000_000 };

/** Beyond it one Redis does not hold the queue. */
const capacityMax = 100_000_000;

const fields = {
  disabled: bool().optional().meta({ description: 'Operations wait as PENDING and nothing is called' }),
  queue_capacity: integer()
    .pipe(z.int().min(1, 'queue_capacity is at least 1').max(capacityMax, `queue_capacity is at most ${capacityMax}`))
    .optional()
    .meta({ description: 'How many operations may be pending, over all destinations' }),
};

/** The same fields for a merge patch. */
const mergeFields = {
  disabled: orNull(fields.disabled),
  queue_capacity: orNull(fields.queue_capacity),
};

function orNull<F extends z.ZodType>(field: F) {
  return field.nullable().meta(field.meta() ?? {});
}

/** There is one queue for all namespaces. */
const rootNamespaceOnly = 'or-administrative';

/** `sys/sync/config`. */
export function configRow(parts: SyncParts): Row {
  const show = async (): Promise<ReplyContent> => ({ data: await loadSettings(parts.store) });
  const summary = 'Change the configuration of the sync';
  return {
    pattern: 'sync/config',
    help: 'Switches the sync off and on and bounds its queue.',
    operations: {
      read: operation({}, { summary: 'Read the configuration of the sync', rootNamespaceOnly, run: show }),
      write: operation(fields, { summary, rootNamespaceOnly, run: (input, { signal }) => apply(parts, input, signal) }),
      patch: operation(mergeFields, {
        summary: `${summary}; null sets a field back`,
        rootNamespaceOnly,
        run: ({ disabled, queue_capacity }, { signal }) => {
          const changes = {
            disabled: disabled === null ? defaults.disabled : disabled,
            queue_capacity: queue_capacity === null ? defaults.queue_capacity : queue_capacity,
          };
          return apply(parts, changes, signal);
        },
      }),
      delete: operation(
        {},
        {
          summary: 'Set the configuration of the sync back',
          rootNamespaceOnly,
          run: (_input, { signal }) => apply(parts, defaults, signal),
        },
      ),
    },
  };
}

/**
 * The store is the truth, the queue follows. When this answers with `disabled`, no operation is in flight any more: claims
 * are refused from the commit on, and those made before are waited for.
 */
async function apply(parts: SyncParts, changes: Changes, signal: AbortSignal): Promise<ReplyContent> {
  const settings = await save(parts.store, changes);
  if (!settings.disabled) await parts.queue.resume();
  else {
    await parts.queue.pause();
    await untilNoneIsUnderWay(parts, signal);
  }
  return { data: settings };
}

type Changes = { readonly [Name in keyof SyncSettings]?: SyncSettings[Name] | undefined };

/** What is not given stays, also when somebody else changes it at the same time. */
async function save(store: Store, { disabled, queue_capacity }: Changes): Promise<SyncSettings> {
  const { rows } = await sql<SyncSettings>`
    update sync_config
       set disabled = coalesce(${disabled ?? null}::boolean, disabled),
           queue_capacity = coalesce(${queue_capacity ?? null}::integer, queue_capacity)
     where id = 1
    returning disabled, queue_capacity`.execute(store.db);
  return rows[0] ?? loadSettings(store);
}

/** None begins any more, so those that are in flight now are all there are to wait for. */
async function untilNoneIsUnderWay(parts: SyncParts, signal: AbortSignal): Promise<void> {
  const deadline = parts.clock.now().getTime() + parts.drainMs;
  let ids = await inFlight(parts.store);
  while (ids.length > 0) {
    if (signal.aborted || parts.clock.now().getTime() > deadline) {
      throw new AppError(
        'unavailable',
        'the sync is disabled, but operations that had begun before are still under way: ask again',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    ids = await stillInFlight(parts.store, ids);
  }
}
