import { sql, type Transaction } from 'kysely';
import { AppError, badRequest } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Database } from '#store/tables.ts';
import type { DestinationKey } from '../../drivers/drivers.ts';
import { isRemnant } from '../../model/status.ts';
import { beginning, type PurgePage, purgePage } from '../../sweep/purge/page.ts';
import type { SyncParts } from '../parts.ts';
import { loadDestination } from './store.ts';

interface DeleteInput {
  readonly name: string;
  readonly purge: boolean;
  readonly force_delete: boolean;
}

/**
 * Deletes a destination. One with associations is refused, unless the request says `purge` (all objects are removed in the
 * background, then the destination is deleted) or `force_delete` (the destination is deleted at once and its objects stay,
 * unmanaged). One that has only remnants is deleted as by `purge`, once their rechecks are over.
 */
export async function deleteDestination(
  parts: SyncParts,
  definition: DestinationDefinition,
  input: DeleteInput,
  { namespace, signal }: Pick<RequestContext, 'namespace' | 'signal'>,
): Promise<Reply> {
  const key = { namespace_id: namespace.id, type: definition.type, name: input.name };
  if (input.force_delete) return forget(parts, key, signal);
  const { dirty, stays } = await parts.store.transaction(async (tx) => {
    const record = await loadDestination(parts.store, tx, key, 'update');
    if (record === undefined) return { dirty: [], stays: false };
    if (!input.purge) await refuseWithAssociations(tx, record.id, input.name);
    const { looked, dirty } = await beginPurge(tx, record.id);
    if (looked > 0) return { dirty, stays: true };
    await tx.deleteFrom('destinations').where('id', '=', record.id).execute();
    return { dirty: [], stays: false };
  });
  const warnings = [...(await parts.changed(dirty)), ...(stays && !input.purge ? [waitsForRechecks] : [])];
  return warnings.length > 0 ? { warnings } : undefined;
}

const waitsForRechecks =
  'a late write may still bring back removed secrets: the destination is deleted after a recheck, within a few minutes; force_delete=true does not wait';

/** Marks the first associations for removal. The sweep marks the others, so that the request does not wait for a long list. */
async function beginPurge(tx: Transaction<Database>, id: string): Promise<PurgePage> {
  await sql`update destinations set purge_initiated_at = now(), purge_error = null where id = ${id}::bigint`.execute(
    tx,
  );
  return purgePage(tx, id, beginning);
}

/** Associations deleted per transaction, and the time limit of one call in milliseconds. */
const forgottenAtOnce = 5_000;
const forgetMsMax = 20_000;

/** Deletes the associations and the destination in steps that each commit. A call that runs out of time fails with `unavailable`. */
async function forget(parts: SyncParts, key: DestinationKey, signal: AbortSignal): Promise<undefined> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(forgetMsMax)]);
  while (!(await parts.store.transaction((tx) => forgetSome(parts, tx, key)))) {
    if (!inTime.aborted) continue;
    throw new AppError(
      'unavailable',
      `destination ${JSON.stringify(key.name)} has many associations and some are left: try again`,
    );
  }
  return undefined;
}

/** Returns whether the destination has been deleted. */
async function forgetSome(parts: SyncParts, tx: Transaction<Database>, key: DestinationKey): Promise<boolean> {
  const record = await loadDestination(parts.store, tx, key, 'update');
  if (record === undefined) return true;
  const { rows } = await sql`
    delete from associations where id = any(array(
      select id from associations where destination_id = ${record.id}::bigint limit ${forgottenAtOnce}::int))
    returning id`.execute(tx);
  if (rows.length === forgottenAtOnce) return false;
  await tx.deleteFrom('destinations').where('id', '=', record.id).execute();
  return true;
}

async function refuseWithAssociations(tx: SyncParts['store']['db'], id: string, name: string): Promise<void> {
  const query = tx.selectFrom('associations').select(({ fn }) => fn.countAll().as('count'));
  const { count } = await query
    .where('destination_id', '=', id)
    .where(({ not }) => not(isRemnant()))
    .executeTakeFirstOrThrow();
  if (Number(count) === 0) return;
  throw badRequest(
    `destination ${JSON.stringify(name)} still manages ${count} associations: remove them, or delete with purge=true to remove all its secrets, or with force_delete=true to leave them there`,
  );
}
