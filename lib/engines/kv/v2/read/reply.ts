import type { JsonObject } from '#core/json/json.ts';
import type { EngineParts } from '#engines/contract.ts';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { Dirty } from '#store/outbox.ts';
import type { CustomMetadata } from '../rules/custom-metadata.ts';

/** The metadata of one version in replies to reads and writes. */
export interface ShownVersion {
  readonly version: number;
  readonly created_time: string;
  /** Empty when the version has none. */
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

/** A version whose data cannot be read: status 404 with a complete reply that shows why. */
export const unreadable = (data: object): ReplyWith<404> => ({ status: 404, data });

/** The `replies` of an operation that may find such a version. */
export const mayBeUnreadable = { 404: 'envelope' } as const;

/** Reports the associations that a committed change marked dirty, and adds any warnings to the reply. */
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
