import type { JsonObject } from '../../../../core/json.ts';
import type { Reply, ReplyContent } from '../../../../path/contract/reply.ts';
import type { Dirty } from '../../../../store/outbox.ts';
import type { EngineParts } from '../../../contract.ts';
import type { CustomMetadata } from '../metadata/custom.ts';

/** The metadata of one version as reads and writes show it. */
export interface ShownVersion {
  readonly version: number;
  readonly created_time: string;
  /** Empty where there is none. */
  readonly deletion_time: string;
  readonly destroyed: boolean;
  readonly custom_metadata: CustomMetadata | null;
}

interface KnownVersion {
  readonly version: number;
  readonly created_time: Date;
  readonly deletion_time: Date | null;
  readonly destroyed: boolean;
}

export const showVersion = (known: KnownVersion, customMetadata: CustomMetadata | null): ShownVersion => ({
  version: known.version,
  created_time: known.created_time.toISOString(),
  deletion_time: timeText(known.deletion_time),
  destroyed: known.destroyed,
  custom_metadata: customMetadata,
});

export const timeText = (time: Date | null): string => time?.toISOString() ?? '';

/** A version whose data cannot be read: 404, and still a whole reply that says why. */
export const unreadable = (data: object): ReplyContent => ({ status: 404, data });

/** Reports what a change made dirty, after its commit, and answers with the warnings, if any. */
export async function replyAfter(
  parts: EngineParts,
  dirty: readonly Dirty[],
  data?: JsonObject | ShownVersion,
): Promise<Reply> {
  const warnings = dirty.length === 0 ? [] : await parts.changed(dirty);
  const warned = warnings.length === 0 ? {} : { warnings };
  if (data !== undefined) return { data, ...warned };
  return warnings.length === 0 ? undefined : warned;
}
