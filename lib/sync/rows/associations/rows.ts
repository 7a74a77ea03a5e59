import { AppError, badRequest, permissionDenied } from '../../../core/errors.ts';
import type { Mount } from '../../../path/contract/mount.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, pathText, text } from '../../../path/fields.ts';
import { definitionOf } from '../../definition.ts';
import type { SyncParts } from '../parts.ts';
import { noMount, noSecret, removeAssociation, setAssociation } from './change.ts';
import type { AssociationKey } from './change-store.ts';
import { settle } from './settle.ts';

const targetFields = (syncedMounts: string) => ({
  type: pathText('Destination type'),
  name: pathText('Name of the destination'),
  mount: text().meta({ description: `Path of the ${syncedMounts} mount` }),
  secret_name: text().meta({ description: 'Path of the secret below the mount' }),
});

/** `associations/set` and `associations/remove` of a destination. */
export function associationChangeRows(parts: SyncParts): readonly Row[] {
  const base = 'sync/destinations/:type/:name/associations';
  const target = targetFields(parts.syncedMounts);
  const adopt = bool()
    .default(false)
    .meta({ description: 'Take over objects of the same name that the sync did not write' });
  return [
    {
      pattern: `${base}/set`,
      help: 'Associates a secret with the destination and pushes it; again: pushes it afresh.',
      operations: {
        write: operation(
          { ...target, adopt },
          {
            summary: 'Associate a secret with the destination',
            knownFieldsOnly: true,
            run: (input, context) => set(parts, input, context),
          },
        ),
      },
    },
    {
      pattern: `${base}/remove`,
      help: 'Ends the association of a secret with the destination and removes it there.',
      operations: {
        write: operation(target, {
          summary: 'Remove a secret from the destination',
          knownFieldsOnly: true,
          run: (input, context) => remove(parts, input, context),
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

async function set(
  parts: SyncParts,
  input: Target & { readonly adopt: boolean },
  context: RequestContext,
): Promise<Reply> {
  const definition = definitionOf(parts.definitions, input.type, context.vocabulary);
  const secretName = checkedName(input.secret_name);
  const mount = await findMount(parts, input.mount, context);
  await mustRead(parts, context, mount, secretName);
  if ((await parts.currentSecret(mount.id, secretName)) === undefined) {
    throw noSecret({ mountPath: mount.path, secretName });
  }
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

/**
 * Removing what is not there succeeds, whatever of it is missing. An association that has outlived its mount has no path any
 * more by which its secret could be read.
 */
async function remove(parts: SyncParts, input: Target, context: RequestContext): Promise<Reply> {
  const definition = definitionOf(parts.definitions, input.type, context.vocabulary);
  const secretName = checkedName(input.secret_name);
  const wanted = {
    ...{ namespaceId: context.namespace.id, definition, destinationName: input.name },
    ...{ mountPath: withSlash(input.mount), secretName },
  };
  const mount = await parts.mounts.resolve(wanted.mountPath, context.namespace);
  const holds = mount?.path === wanted.mountPath && parts.readPath(mount, secretName) !== undefined;
  if (holds) await mustRead(parts, context, mount, secretName);
  const accessor = await accessorOf(parts, wanted, context);
  if (accessor === '') context.warn(`no mount at ${JSON.stringify(wanted.mountPath)}: there was nothing to remove`);
  return settle(parts, { wanted, accessor, context, change: () => removeAssociation(parts, wanted) });
}

/** Who may nothing below a mount does not learn whether it is there. */
async function findMount(parts: SyncParts, given: string, context: RequestContext): Promise<Mount> {
  const path = withSlash(given);
  const mount = await parts.mounts.resolve(path, context.namespace);
  if (mount?.path === path) return mount;
  if (!(await context.reaches(path))) throw permissionDenied();
  throw noMount(parts, path);
}

/** Of the association, which outlives its mount, else of the mount, else empty. */
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

const withSlash = (mount: string): string => `${mount.replace(/^\/+|\/+$/g, '')}/`;

function checkedName(given: string): string {
  const name = given.replace(/^\/+/, '');
  if (name !== '' && !name.endsWith('/')) return name;
  throw badRequest('secret_name is the full path of one secret, not of a folder: it may not be empty or end in /');
}

async function mustRead(
  { readPath, syncedMounts }: SyncParts,
  context: RequestContext,
  mount: Mount,
  secretName: string,
): Promise<void> {
  const path = readPath(mount, secretName);
  if (path === undefined) {
    if (!(await context.reaches(mount.path))) throw permissionDenied();
    throw notSynced(mount, syncedMounts);
  }
  try {
    await context.mustBeAllowed('read', path);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    const name = mount.path.replace(/\/$/, '');
    throw new AppError(
      'permission-denied',
      `permission denied to read the content of the secret ${secretName} in mount ${name}`,
      { cause },
    );
  }
}

const notSynced = ({ path }: Mount, syncedMounts: string): AppError =>
  badRequest(
    `mount ${JSON.stringify(path)} is not a ${syncedMounts} mount: only secrets of ${syncedMounts} mounts can be synced`,
  );
