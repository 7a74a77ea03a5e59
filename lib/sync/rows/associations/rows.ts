import { badField, permissionDenied } from '#core/errors.ts';
import { isStorable, Unstorable } from '#core/json/unstorable.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { bool, pathText, text } from '#path/fields.ts';
import { definitionOf } from '../../model/definition.ts';
import type { SyncParts } from '../parts.ts';
import { refuseNeverSynced } from '../rights/never-synced.ts';
import { requireSecretRead } from '../rights/secret-read.ts';
import { noMount, noSecret, removeAssociation, setAssociation } from './change.ts';
import type { AssociationKey } from './change-store.ts';
import { isMany, type Many, manyFields, withSlash } from './many.ts';
import { removeMany } from './remove-many.ts';
import { setMany } from './set-many.ts';
import { settle } from './settle.ts';

const targetFields = (syncedMounts: string) => ({
  type: pathText('Destination type'),
  name: pathText('Name of the destination'),
  mount: text().meta({ description: `Path of the ${syncedMounts} mount` }),
  secret_name: text().meta({ description: 'Path of the secret below the mount' }),
});

/** The rows `associations/set` and `associations/remove` of a destination. */
export function associationChangeRows(parts: SyncParts): readonly Row[] {
  const base = 'sync/destinations/:type/:name/associations';
  const target = targetFields(parts.syncedMounts);
  const adopt = bool()
    .default(false)
    .meta({ description: 'Take over objects of the same name that the sync did not write' });
  const secret_name = target.secret_name.optional().meta(target.secret_name.meta() ?? {});
  const many = { ...target, ...manyFields, secret_name };
  return [
    {
      pattern: `${base}/set`,
      help: 'Associates a secret with the destination and pushes it. Repeating the call pushes it again. With secret_prefix or secret_names it starts a batch and replies as sys/sync/batches does.',
      operations: {
        write: operation(
          { ...many, adopt },
          {
            summary: 'Associate a secret, or several in the background, with the destination',
            knownFieldsOnly: true,
            replies: accepted,
            run: (input, context) => setAny(parts, input, context),
          },
        ),
      },
    },
    {
      pattern: `${base}/remove`,
      help: 'Ends the association of a secret with the destination and removes its copies there. With secret_prefix or secret_names it starts a batch and replies as sys/sync/batches does.',
      operations: {
        write: operation(many, {
          summary: 'Remove a secret, or several in the background, from the destination',
          knownFieldsOnly: true,
          replies: accepted,
          run: (input, context) =>
            isMany(input) ? removeMany(parts, input, context) : remove(parts, withName(input), context),
        }),
      },
    },
  ];
}

interface Target {
  readonly type: string;
  readonly name: string;
  readonly mount: string;
  readonly secret_name: string;
}

async function setAny(
  parts: SyncParts,
  input: Many & { readonly adopt: boolean },
  context: RequestContext,
): Promise<Reply | Accepted> {
  if (isMany(input)) return setMany(parts, input, await findMount(parts, input.mount, context), context);
  return set(parts, withName(input), context);
}

async function set(
  parts: SyncParts,
  input: Target & { readonly adopt: boolean },
  context: RequestContext,
): Promise<Reply> {
  const definition = definitionOf(parts.definitions, input.type, context.vocabulary);
  const secretName = checkedName(input.secret_name);
  const mount = await findMount(parts, input.mount, context);
  await requireSecretRead(parts, context, mount, secretName);
  if ((await parts.currentSecret(mount.id, secretName)) === undefined) {
    throw noSecret({ mountPath: mount.path, secretName });
  }
  await refuseNeverSynced(parts, mount, secretName);
  const wanted = {
    namespaceId: context.namespace.id,
    definition,
    destinationName: input.name,
    mountPath: mount.path,
    secretName,
    mount,
    adopt: input.adopt,
  };
  return settle(parts, { wanted, accessor: mount.accessor, context, change: () => setAssociation(parts, wanted) });
}

/** @throws AppError `bad-request` in the words for any missing field */
function withName<T extends { readonly secret_name?: string | undefined }>(
  input: T,
): T & { readonly secret_name: string } {
  const { secret_name } = input;
  if (secret_name === undefined)
    throw badField('secret_name', 'Field validation failed: missing required field "secret_name"');
  return { ...input, secret_name };
}

/**
 * Removing an association that does not exist succeeds. An association that has outlived its mount no longer has a path at which
 * its secret could be read, so only the rights on this row apply.
 */
async function remove(parts: SyncParts, input: Target, context: RequestContext): Promise<Reply> {
  const definition = definitionOf(parts.definitions, input.type, context.vocabulary);
  const secretName = checkedName(input.secret_name);
  const wanted = {
    namespaceId: context.namespace.id,
    definition,
    destinationName: input.name,
    mountPath: withSlash(input.mount),
    secretName,
  };
  const mount = await parts.mounts.resolve(wanted.mountPath, context.namespace);
  const holds = mount?.path === wanted.mountPath && parts.readPath(mount, secretName) !== undefined;
  if (holds) await requireSecretRead(parts, context, mount, secretName);
  const accessor = await accessorOf(parts, wanted, context);
  if (accessor === '') context.warn(`no mount at ${JSON.stringify(wanted.mountPath)}: there was nothing to remove`);
  return settle(parts, { wanted, accessor, context, change: () => removeAssociation(parts, wanted) });
}

/** A caller without any grant below the path gets 403 whether or not a mount exists there. */
export async function findMount(parts: SyncParts, given: string, context: RequestContext): Promise<Mount> {
  const path = withSlash(given);
  const mount = await parts.mounts.resolve(path, context.namespace);
  if (mount?.path === path) return mount;
  if (!(await context.reaches(path))) throw permissionDenied();
  throw noMount(parts, path);
}

/** The accessor stored with the association, which may outlive its mount; otherwise that of the mount; otherwise empty. */
async function accessorOf(
  parts: SyncParts,
  { namespaceId, mountPath, secretName }: AssociationKey,
  { namespace }: RequestContext,
): Promise<string> {
  const row = await parts.store.db
    .selectFrom('associations')
    .innerJoin('destinations', 'destinations.id', 'associations.destination_id')
    .select('mount_accessor')
    .where('namespace_id', '=', namespaceId)
    .where('mount_path', '=', mountPath)
    .where('secret_name', '=', secretName)
    .orderBy('associations.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return row.mount_accessor;
  const mount = await parts.mounts.resolve(mountPath, namespace);
  return mount?.path === mountPath ? mount.accessor : '';
}

function checkedName(given: string): string {
  const name = given.replace(/^\/+/, '');
  // Look-ups of secrets share a statement, so this text would make those of others fail.
  if (!isStorable(name)) throw new Unstorable().in({ secret_name: name });
  if (name !== '' && !name.endsWith('/')) return name;
  throw badField(
    'secret_name',
    'secret_name must be the full path of one secret, not of a folder: it cannot be empty or end in /',
  );
}
