import type { Transaction } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Database } from '#store/tables.ts';
import { requireApp } from '../../apps/store.ts';
import type { SyncParts } from '../../parts.ts';
import { toValues } from '../fields.ts';
import type { Wanted } from '../merge.ts';
import type { DestinationValues } from '../store.ts';
import type { DestinationRecord } from '../view.ts';
import { checkImmutable, checkNamedFiles, requireCredentials } from './credentials.ts';
import { checkNetworkBounds } from './network.ts';

interface Change {
  readonly tx: Transaction<Database>;
  readonly namespaceId: string;
  readonly before: DestinationRecord | undefined;
  readonly wanted: Wanted;
  /** As received, before masks are replaced by stored values. */
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * The values that a request wants a destination to have, which may then be stored, or called with.
 * @throws AppError `bad-request` when the request breaks a rule
 */
export async function judged(
  parts: SyncParts,
  definition: DestinationDefinition,
  { tx, namespaceId, before, wanted, input }: Change,
): Promise<Omit<DestinationValues, 'name'>> {
  checkNamedFiles(definition, input, parts.credentialsDir);
  const values = toValues(definition, wanted);
  checkNetworkBounds(parts.networkBounds, input, values.network);
  if (before !== undefined) {
    checkImmutable(definition, before.connection, values.connection);
    requireCredentials(definition, before, values, input);
  }
  await requireApp(parts, tx, namespaceId, definition, values.connection);
  return values;
}
