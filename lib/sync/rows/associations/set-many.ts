import { AppError, badField, badRequest } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { countedMax } from '../../batches/batch.ts';
import { definitionOf } from '../../model/definition.ts';
import { isRemnant } from '../../model/status.ts';
import { replyOfNew } from '../batches/create.ts';
import { forgetFailedPurge } from '../destinations/store.ts';
import type { SyncParts } from '../parts.ts';
import { withoutNeverSynced } from '../rights/never-synced.ts';
import { mayReadAssociations } from '../rights/readable.ts';
import { requireSecretRead } from '../rights/secret-read.ts';
import { changeable, noSecret } from './change.ts';
import { belowMount, type Many } from './many.ts';

interface SetMany extends Many {
  readonly adopt: boolean;
}

/** Names that one statement reads. Their rights are checked before the next one, so that other requests have their turn. */
const pageSize = 1_000;

/**
 * Starts a batch that associates the selected secrets with the destination, or counts them with `dry_run`. The sweep has no caller, so the
 * rights are those of now, and only these secrets are associated.
 */
export async function setMany(
  parts: SyncParts,
  input: SetMany,
  mount: Mount,
  context: RequestContext,
): Promise<Reply | Accepted> {
  const definition = definitionOf(parts.definitions, input.type, context.vocabulary);
  const { type } = definition;
  const { name, adopt } = input;
  const key = { namespaceId: context.namespace.id, definition, destinationName: name, mountPath: mount.path };
  const destination = await changeable(parts.store, parts.store.db, key);
  const given = await selected(parts, input, mount, async (names) => {
    for (const secretName of names) await requireSecretRead(parts, context, mount, secretName);
  }).catch(withoutName(input, mount));
  const secretNames = await withoutNeverSynced(parts, mount.id, given);
  const total = secretNames.length;
  const never_synced = given.length - total;
  if (input.dry_run === true) {
    const isReadable = await mayReadAssociations(context, { type, name });
    const known = isReadable ? await associatedOf(parts, destination.id, mount.id, secretNames) : undefined;
    const isNew = known === undefined ? {} : { new: total - known };
    return { data: { dry_run: true, total, would_change: total, ...isNew, never_synced } };
  }
  if (never_synced > 0)
    context.warn(
      `left out because their custom_metadata says "sync": "never": ${never_synced} of ${given.length} secrets`,
    );
  await parts.store.transaction((tx) => forgetFailedPurge(tx, destination));
  const prefix = input.secret_prefix === undefined ? {} : { prefix: belowMount(input.secret_prefix) };
  const start = { namespaceId: context.namespace.id, updatedBefore: null, limit: null, rate: null, total };
  const target = { destinationId: destination.id, mountId: mount.id, adopt, secretNames };
  return replyOfNew(
    parts,
    { ...start, action: 'set', filter: { type, name, mount: mount.path, ...prefix }, target },
    context,
  );
}

/** A caller that may not read all secrets of a prefix is not told which there are. */
const withoutName =
  ({ secret_prefix }: Many, mount: Mount) =>
  (cause: unknown): never => {
    if (secret_prefix === undefined || !(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    const where = `${JSON.stringify(secret_prefix)} in mount ${mount.path.replace(/\/$/, '')}`;
    const text = `permission denied to read the content of every secret whose path starts with ${where}`;
    throw new AppError('permission-denied', text, { cause });
  };

/**
 * @param check throws when the caller may not read one of the secrets
 * @throws AppError `bad-request` when no secret is selected, one of the named ones does not exist, or there are too many
 */
async function selected(
  parts: SyncParts,
  { secret_names, secret_prefix }: Many,
  mount: Mount,
  check: (names: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  if (secret_names !== undefined) {
    const names = [...new Set(secret_names.map(belowMount))].sort();
    if (names.length === 0) throw badField('secret_names', 'secret_names cannot be empty');
    await check(names);
    const found = await Promise.all(names.map((name) => parts.currentSecret(mount.id, name)));
    const missing = names.find((_name, index) => found[index] === undefined);
    if (missing !== undefined) throw noSecret({ mountPath: mount.path, secretName: missing }, 'secret_names');
    return names;
  }
  if (secret_prefix === undefined || secret_prefix === '')
    throw badField('secret_prefix', 'secret_prefix cannot be empty: send "/" to associate every secret of the mount');
  const prefix = belowMount(secret_prefix);
  const names: string[] = [];
  for (let page: readonly string[] | undefined; page === undefined || page.length === pageSize; ) {
    page = await parts.secretsBelow(mount.id, prefix, names.at(-1) ?? '', pageSize);
    await check(page);
    names.push(...page);
    if (names.length > countedMax)
      throw badRequest(`more than ${countedMax} secrets have this prefix: associate them in several batches`);
  }
  if (names.length > 0) return names;
  await check([prefix]);
  const where = `${JSON.stringify(prefix)} in mount ${JSON.stringify(mount.path)}`;
  throw badField('secret_prefix', `no secret whose path starts with ${where} has a version that is not deleted`);
}

/** How many of the secrets are associated with the destination already. */
async function associatedOf({ store }: SyncParts, destinationId: string, mountId: string, names: readonly string[]) {
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from associations
     where destination_id = ${destinationId}::bigint and mount_id = ${mountId}::uuid
       and secret_name = any(${names}::text[]) and not ${isRemnant()}`.execute(store.db);
  return rows[0]?.count ?? 0;
}
