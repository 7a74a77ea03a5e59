import { badRequest } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Vocabulary } from '../../path/contract/request.ts';
import { definitionOf } from '../definition.ts';
import { type SyncStatus, toStatus } from '../status.ts';

/** Which syncs to replay. What is absent does not narrow. */
export interface ReplayFilter {
  /** Only destinations of this namespace. */
  readonly namespaceId?: string | undefined;
  readonly type?: string | undefined;
  /** Of the destination. */
  readonly name?: string | undefined;
  /** Default: the three error states. */
  readonly syncStatus?: SyncStatus | undefined;
  /** As an earlier replay with the same filter answered it: goes on behind what that one has looked at. */
  readonly cursor?: string | undefined;
}

/** The filter as people send it; an empty text is one that is not given. */
export interface GivenFilter {
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly sync_status?: string | undefined;
  readonly cursor?: string | undefined;
}

/** @throws AppError `bad-request` that names the field and what it takes */
export function replayFilter(
  definitions: readonly DestinationDefinition[],
  given: GivenFilter,
  vocabulary: Vocabulary = 'canonical',
): ReplayFilter {
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
  throw badRequest(
    (word) =>
      `unknown sync_status ${JSON.stringify(given)}: it is one of PENDING, SYNCED, UNSYNCED, CLIENT_SIDE_ERROR, EXTERNAL_SERVICE_ERROR, ${word('INTERNAL_ERROR')}`,
  );
}

/** An association's id, which fits into 63 bits. */
function knownCursor(given: string): string {
  if (/^\d{1,18}$/.test(given)) return given;
  throw badRequest(`cursor ${JSON.stringify(given)} is none: send back the one that an earlier replay answered`);
}
