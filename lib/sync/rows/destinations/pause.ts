import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { notFound } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Database } from '#store/tables.ts';
import { withDefaults } from '../../drivers/connection.ts';
import type { DestinationKey } from '../../drivers/drivers.ts';
import type { DriftAction } from '../../model/drift.ts';
import { type GivenPause, type Pause, pauseAfter, running } from '../../model/pause.ts';
import type { SyncParts } from '../parts.ts';
import { mentionsPause } from '../pause/fields.ts';
import { waitForOperations } from '../pause/in-flight.ts';
import { type DestinationValues, loadDestination, saveOnDrift, savePause } from './store.ts';
import type { DestinationRecord } from './view.ts';

/**
 * Pauses or resumes a destination, or says what looks do with drift, and changes nothing else, so it needs no credentials, marks no association and is possible during a
 * purge. After a pause no call is in flight.
 *
 * @throws AppError `unavailable` when calls in flight take longer than the limit; the pause is in force then
 */
export async function pauseDestination(
  parts: SyncParts,
  key: DestinationKey,
  input: GivenPause & { readonly on_drift?: DriftAction | null | undefined },
  signal: AbortSignal,
): Promise<void> {
  const paused = await parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, key, 'update');
    if (before === undefined) throw notFound();
    if (input.on_drift !== undefined) await saveOnDrift(tx, before.id, input.on_drift ?? 'report');
    if (!mentionsPause(input)) return undefined;
    const pause = await applyPause(parts, tx, key, before, input);
    return pause.disabled ? before.id : undefined;
  });
  if (paused !== undefined) await waitForOperations(parts, signal, paused);
}

/** Stores the pause that a request asks for, in the transaction of its other changes. */
export async function applyPause(
  { store }: Pick<SyncParts, 'store'>,
  tx: Transaction<Database>,
  key: DestinationKey,
  before: Pick<DestinationRecord, 'pause'> | undefined,
  { disabled, disabled_until }: GivenPause,
): Promise<Pause> {
  const was = before?.pause ?? running;
  const pause = pauseAfter(was, { disabled, disabled_until }, store.clock.now());
  await savePause(tx, key, was, pause);
  return pause;
}

/** Whether a request leaves everything but the pause as it is. */
export function isUnchanged(
  { fields }: Pick<DestinationDefinition, 'fields'>,
  before: DestinationRecord,
  after: Omit<DestinationValues, 'name'>,
): boolean {
  const settings = ({
    connection,
    granularity,
    template,
    tags,
    network,
    adopt,
    rateGroup,
  }: Omit<DestinationValues, 'name'>) => ({
    connection: withDefaults(fields, connection),
    ...{ granularity, template, tags, network, adopt, rateGroup },
  });
  return isDeepStrictEqual(plain(settings(before)), plain(settings(after)));
}

/** Without members that are undefined. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));
