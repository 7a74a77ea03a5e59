import { badField, badRequest } from '#core/errors.ts';
import { isJsonObject, type JsonObject } from '#core/json/json.ts';
import { WrittenJson } from '#core/json/write.ts';
import { effectiveLeases, type Mount } from '#path/contract/mount.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration } from '#path/fields.ts';
import type { EngineParts } from '../../contract.ts';
import { listFolder, pageFields } from '../../folder.ts';
import { folderPath, secretPath, secretPaths } from '../shared/secret-path.ts';
import { openStored, secretOf } from '../shared/stored-version.ts';
import { deleteSecret, type SecretReader, secretReader } from './table.ts';
import { type SecretWriter, secretWriter } from './write.ts';

/**
 * Every path is a secret, and the fields are its content. The path is taken from the context, because a pattern parameter would
 * hide a field of the same name.
 */
export function secretsRow(parts: EngineParts): Row {
  const read = secretReader(parts.store);
  const write = secretWriter(parts);
  return {
    pattern: '*path',
    help: 'Reads, writes, lists and deletes secrets. A write replaces the whole secret.',
    exists: async (_input, context) => (await read(locationOf(context))) !== undefined,
    operations: {
      read: operation({}, { summary: 'Read a secret', run: (_input, context) => readSecret(parts, read, context) }),
      list: operation(pageFields, {
        summary: 'List the names in a folder',
        run: (page, { mount, path }) => listFolder(parts.store, secretPaths(mount.id), folderPath(path), page),
      }),
      write: operation(
        {},
        {
          summary: 'Write a secret',
          anyFields: true,
          large: true,
          run: (input, context) => writeSecret(write, input, context),
        },
      ),
      delete: operation(
        {},
        {
          summary: 'Delete a secret',
          run: async (_input, context) => deleteSecret(parts, locationOf(context)),
        },
      ),
    },
  };
}

const locationOf = (context: RequestContext) => ({ mountId: context.mount.id, path: secretPath(context.path) });

async function readSecret({ store }: EngineParts, read: SecretReader, context: RequestContext): Promise<Reply> {
  const location = locationOf(context);
  const row = await read(location);
  if (row === undefined) return undefined;
  const opening = { db: store.db, barrier: store.barrier, hold: context.hold };
  const json = await openStored(opening, { ...location, id: row.id, version: 1 }, row);
  if (json === undefined) return undefined;
  const data = await secretOf(json);
  const leaseDuration = leaseSeconds(data, context.mount);
  if (typeof json === 'string') return { data, leaseDuration };
  const written = new WrittenJson(json);
  return { data: written, written, leaseDuration };
}

/** The lease duration that a read reports: the secret's own `ttl` or `lease`, otherwise the mount's. */
function leaseSeconds(data: JsonObject, mount: Mount): number {
  const own = duration().safeParse(data['ttl'] ?? data['lease']);
  return own.success ? own.data : effectiveLeases(mount.config).default_lease_ttl;
}

async function writeSecret(
  write: SecretWriter,
  input: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<Reply> {
  const location = locationOf(context);
  if (location.path === '') throw badField('path', 'missing path');
  if (!isJsonObject(input) || Object.keys(input).length === 0) throw badRequest('missing data fields');
  return write(location, input);
}
