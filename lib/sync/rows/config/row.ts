import { z } from 'zod';
import type { ReplyContent } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { integer } from '#path/fields.ts';
import { loadSettings, type SyncSettings } from '../../model/settings.ts';
import type { SyncParts } from '../parts.ts';
import { pauseFields } from '../pause/fields.ts';
import { waitForOperations } from '../pause/in-flight.ts';
import { type Changes, saveSettings } from './save.ts';

/** The configuration of a new installation, and after a delete. */
const defaults = { disabled: false, disabled_until: null, queue_capacity: 1_000_000 };

/** A larger queue does not fit into one Redis. */
const capacityMax = 100_000_000;

const fields = {
  ...pauseFields('Pauses the sync'),
  queue_capacity: integer()
    .pipe(
      z
        .int()
        .min(1, 'queue_capacity must be at least 1')
        .max(capacityMax, `queue_capacity must be at most ${capacityMax}`),
    )
    .optional()
    .meta({ description: 'How many operations may be pending across all destinations' }),
};

/** The same fields for a merge patch. */
const mergeFields = {
  disabled: orNull(fields.disabled),
  disabled_until: orNull(fields.disabled_until),
  queue_capacity: orNull(fields.queue_capacity),
};

function orNull<F extends z.ZodType>(field: F) {
  return field.nullable().meta(field.meta() ?? {});
}

/** The configuration belongs to the root because all namespaces share one queue. */
const rootNamespaceOnly = 'or-administrative';

/** The row `sys/sync/config`. */
export function configRow(parts: SyncParts): Row {
  const show = async (): Promise<ReplyContent> => ({ data: shown(await loadSettings(parts.store)) });
  const summary = 'Change the configuration of the sync';
  return {
    pattern: 'sync/config',
    help: 'Disables or enables the sync and limits its queue.',
    operations: {
      read: operation({}, { summary: 'Read the configuration of the sync', rootNamespaceOnly, run: show }),
      write: operation(fields, { summary, rootNamespaceOnly, run: (input, { signal }) => apply(parts, input, signal) }),
      patch: operation(mergeFields, {
        summary: `${summary}; null resets a field`,
        rootNamespaceOnly,
        run: ({ queue_capacity, ...pause }, { signal }) => {
          const changes = {
            ...pause,
            queue_capacity: queue_capacity === null ? defaults.queue_capacity : queue_capacity,
          };
          return apply(parts, changes, signal);
        },
      }),
      delete: operation(
        {},
        {
          summary: 'Reset the configuration of the sync',
          rootNamespaceOnly,
          run: (_input, { signal }) => apply(parts, defaults, signal),
        },
      ),
    },
  };
}

/**
 * Applies changes to the store first, then to the queue. When this returns with `disabled`, no operation is in flight: claims
 * are refused from the commit on, and it waits for the earlier ones.
 */
async function apply(parts: SyncParts, changes: Changes, signal: AbortSignal): Promise<ReplyContent> {
  const settings = await saveSettings(parts.store, changes);
  if (!settings.disabled) await parts.queue.resume();
  else {
    await parts.queue.pause();
    await waitForOperations(parts, signal);
  }
  return { data: shown(settings) };
}

/** Existing clients expect no further field while nothing is paused. */
const shown = ({ disabled_until, ...settings }: SyncSettings): object =>
  disabled_until === null ? settings : { ...settings, disabled_until: disabled_until.toISOString() };
