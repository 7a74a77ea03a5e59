import { badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { definitionOf } from '../../model/definition.ts';
import { type SyncStatus, toStatus } from '../../model/status.ts';

/** Which syncs to replay. An absent field does not narrow the selection. */
export interface ReplayFilter {
  /** Only destinations of this namespace. Undefined, for the operator's schedule only: those of all namespaces. */
  readonly namespaceId: string | undefined;
  readonly type?: string | undefined;
  /** Only destinations of this name. */
  readonly name?: string | undefined;
  /** Default: the three error states. */
  readonly syncStatus?: SyncStatus | undefined;
  /** The cursor from the reply to an earlier replay with the same filter; continues where that one stopped. */
  readonly cursor?: string | undefined;
}

/** The filter as a request gives it; an empty string counts as absent. */
export interface GivenFilter {
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly sync_status?: string | undefined;
  readonly cursor?: string | undefined;
}

/**
 * The filter of a request, without its namespace.
 * @throws AppError `bad-request` that names the field and what it accepts
 */
export function replayFilter(
  definitions: readonly DestinationDefinition[],
  given: GivenFilter,
  vocabulary: Vocabulary = 'canonical',
): Omit<ReplayFilter, 'namespaceId'> {
  const { type, name, sync_status, cursor } = given;
  return {
    type: isGiven(type) ? definitionOf(definitions, type, vocabulary).type : undefined,
    name: isGiven(name) ? name : undefined,
    syncStatus: isGiven(sync_status) ? knownStatus(sync_status) : undefined,
    cursor: isGiven(cursor) ? knownCursor(cursor) : undefined,
  };
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

function knownStatus(given: string): SyncStatus {
  const status = toStatus(given === 'INTERNAL_VAULT_ERROR' ? 'INTERNAL_ERROR' : given);
  if (status !== 'UNKNOWN') return status;
  throw badField(
    'sync_status',
    (word) =>
      `unknown sync_status ${JSON.stringify(given)}: it must be one of PENDING, SYNCED, UNSYNCED, CLIENT_SIDE_ERROR, EXTERNAL_SERVICE_ERROR, ${word('INTERNAL_ERROR')}`,
  );
}

/** The id of an association, which fits into 63 bits. */
function knownCursor(given: string): string {
  if (/^\d{1,18}$/.test(given)) return given;
  throw badField(
    'cursor',
    `cursor ${JSON.stringify(given)} is invalid: send the cursor from the reply to an earlier replay`,
  );
}
