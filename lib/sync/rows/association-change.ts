import { AppError, badRequest } from '../../core/errors.ts';
import { bool, pathText, text } from '../../path/fields.ts';
import { type Mount, operation, type Reply, type RequestContext, type Row } from '../../path/row.ts';
import { typeName } from '../../path/vocabulary.ts';
import type { Operation } from '../../queue/contract.ts';
import { isObserved, loadAssociations, withIds } from './association-store.ts';
import { type AssociationRecord, associatedSecrets } from './association-view.ts';
import { type Link, type LinkChanged, removeLink, setLink } from './link.ts';
import { definitionOf, type SyncParts } from './parts.ts';

const target = {
  type: pathText('Destination type'),
  name: pathText('Name of the destination'),
  mount: text().meta({ description: 'Path of the KV v2 mount' }),
  secret_name: text().meta({ description: 'Path of the secret below the mount' }),
};

/** `associations/set` and `associations/remove` of a destination. */
export function associationChangeRows(parts: SyncParts): readonly Row[] {
  const base = 'sync/destinations/:type/:name/associations';
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
  const definition = definitionOf(parts.definitions, input.type);
  const mount = await findMount(parts, input.mount);
  const secretName = checkedName(input.secret_name);
  await mustRead(context, mount, secretName);
  if ((await parts.currentSecret(mount.id, secretName)) === undefined) {
    throw badRequest(
      `no secret ${JSON.stringify(secretName)} in mount ${JSON.stringify(mount.path)} with a version that is not deleted: secret_name is the full path of one secret`,
    );
  }
  const link = {
    definition,
    destinationName: input.name,
    mountPath: mount.path,
    secretName,
    mount,
    adopt: input.adopt,
  };
  return settle(parts, { link, accessor: mount.accessor, context, change: () => setLink(parts, link) });
}

/** Removing what is not there succeeds, whatever of it is missing (specification, sync document, section 3). */
async function remove(parts: SyncParts, input: Target, context: RequestContext): Promise<Reply> {
  const definition = definitionOf(parts.definitions, input.type);
  const secretName = checkedName(input.secret_name);
  const link = { definition, destinationName: input.name, mountPath: withSlash(input.mount), secretName };
  const accessor = await accessorOf(parts, link);
  if (accessor === '') context.warn(`no mount at ${JSON.stringify(link.mountPath)}: there was nothing to remove`);
  return settle(parts, { link, accessor, context, change: () => removeLink(parts, link) });
}

interface Settling {
  readonly link: Link;
  readonly accessor: string;
  readonly context: RequestContext;
  readonly change: () => Promise<LinkChanged>;
}

/** Makes the change, queues it, waits for its worker, and answers what came of it (rule 6 of the sync). */
async function settle(parts: SyncParts, { link, accessor, context, change }: Settling): Promise<Reply> {
  const { vocabulary, signal } = context;
  const { operations, settings } = await change();
  const warnings = await queueAndWait(parts, operations, settings.disabled, signal);
  const found = await loadAssociations(parts.store, withIds(operations.map(({ id }) => id)));
  const shown = associatedSecrets(found.length > 0 ? found : [unsynced(parts, link, accessor)], vocabulary);
  const store = { store_name: link.destinationName, store_type: typeName(link.definition.type, vocabulary) };
  return { data: { ...shown, ...store }, warnings };
}

async function queueAndWait(
  parts: SyncParts,
  operations: readonly Operation[],
  disabled: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listeners = operations.map((operation) => ({ operation, listener: parts.queue.listen(operation.id) }));
  try {
    const warnings = await parts.changed(operations);
    const deadline = Date.now() + parts.waitMs;
    for (const { operation, listener } of disabled || warnings.length > 0 ? [] : listeners) {
      await untilObserved(parts, operation, listener, deadline, signal);
    }
    return warnings;
  } finally {
    for (const { listener } of listeners) listener.stop();
  }
}

/** An announcement may be of an older generation, and one may be lost with its connection, so the store decides. */
async function untilObserved(
  parts: SyncParts,
  { id, generation }: Operation,
  listener: ReturnType<SyncParts['queue']['listen']>,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  for (let leftMs = deadline - Date.now(); leftMs > 0 && !signal.aborted; leftMs = deadline - Date.now()) {
    await listener.wait(Math.min(leftMs, lookMs), signal);
    if (await isObserved(parts.store, id, generation)) return;
  }
}

/** How often the store is asked while nothing is announced, in milliseconds. */
const lookMs = 500;

/** What an association reads as that is no more, or never was. */
function unsynced(parts: SyncParts, link: Link, accessor: string): AssociationRecord {
  return {
    type: link.definition.type,
    destination_name: link.destinationName,
    mount_path: link.mountPath,
    mount_accessor: accessor,
    secret_name: link.secretName,
    granularity: '',
    desired: 'absent',
    status: 'UNSYNCED',
    error: null,
    records: [],
    attempts: 0,
    next_attempt_at: null,
    updated_at: parts.clock.now(),
  };
}

async function findMount(parts: SyncParts, given: string): Promise<Mount> {
  const path = withSlash(given);
  const mount = await parts.mounts.resolve(path);
  if (mount === undefined || mount.path !== path) {
    throw badRequest(`no mount at ${JSON.stringify(path)}: mount is the path of a KV v2 mount, such as "secret"`);
  }
  if (mount.type === 'kv' && mount.options?.['version'] === '2') return mount;
  throw badRequest(`mount ${JSON.stringify(path)} is not a KV v2 mount: only secrets of KV version 2 can be synced`);
}

/** Of the association, which outlives its mount, else of the mount, else empty. */
async function accessorOf(parts: SyncParts, { mountPath, secretName }: Link): Promise<string> {
  const row = await parts.store.db
    .selectFrom('associations')
    .select('mount_accessor')
    .where('mount_path', '=', mountPath)
    .where('secret_name', '=', secretName)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return row.mount_accessor;
  const mount = await parts.mounts.resolve(mountPath);
  return mount?.path === mountPath ? mount.accessor : '';
}

const withSlash = (mount: string): string => `${mount.replace(/^\/+|\/+$/g, '')}/`;

function checkedName(given: string): string {
  const name = given.replace(/^\/+/, '');
  if (name !== '' && !name.endsWith('/')) return name;
  throw badRequest('secret_name is the full path of one secret, not of a folder: it may not be empty or end in /');
}

async function mustRead(context: RequestContext, mount: Mount, secretName: string): Promise<void> {
  try {
    await context.mustBeAllowed('read', `${mount.path}data/${secretName}`);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    const path = mount.path.replace(/\/$/, '');
    throw new AppError(
      'permission-denied',
      `permission denied to read the content of the secret ${secretName} in mount ${path}`,
      { cause },
    );
  }
}
