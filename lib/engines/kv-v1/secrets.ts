import { AppError, badRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts';
import { duration } from '../../path/fields.ts';
import { type Mount, operation, type Reply, type RequestContext, type Row } from '../../path/row.ts';
import type { EngineParts } from '../contract.ts';
import { jsonText } from '../json-text.ts';
import { listFolder } from '../listing.ts';
import { folderPath, secretPath } from '../secret-path.ts';
import { deleteSecret, type SecretReader, secretReader } from './table.ts';
import { type SecretWriter, secretWriter } from './write.ts';

/** Where neither the secret nor its mount says how long it is good for: 32 days, in seconds. */
const leaseSecondsDefault = 2_764_800;

/**
 * Every path is a secret, its fields are the secret. So the path is taken from the context: a parameter of the pattern
 * would hide a field of the same name.
 */
export function secretsRow(parts: EngineParts): Row {
  const read = secretReader(parts.store);
  const write = secretWriter(parts);
  return {
    pattern: '*path',
    help: 'Reads, writes, lists and deletes secrets. A write replaces the whole secret.',
    exists: async (_input, context) => (await read(placeOf(context))) !== undefined,
    operations: {
      read: operation({}, { summary: 'Read a secret.', run: (_input, context) => readSecret(read, context) }),
      list: operation(
        {},
        {
          summary: 'List the names in a folder.',
          run: async (_input, context) => ({
            data: { keys: await listFolder(parts.store, context.mount.id, folderPath(context.path)) },
          }),
        },
      ),
      write: operation(
        {},
        {
          summary: 'Write a secret.',
          anyFields: true,
          run: (input, context) => writeSecret(write, input, context),
        },
      ),
      delete: operation(
        {},
        {
          summary: 'Delete a secret.',
          run: async (_input, context) => deleteSecret(parts, placeOf(context)),
        },
      ),
    },
  };
}

const placeOf = (context: RequestContext) => ({ mountId: context.mount.id, path: secretPath(context.path) });

async function readSecret(read: SecretReader, context: RequestContext): Promise<Reply> {
  const json = await read(placeOf(context));
  if (json === undefined) return undefined;
  const data = parseJson(json);
  if (!isJsonObject(data)) throw new AppError('internal', 'a stored secret is not an object');
  return { data, leaseDuration: leaseSeconds(data, context.mount) };
}

/** A hint for who reads the secret: its own `ttl` or `lease`, else what the mount says. */
function leaseSeconds(data: JsonObject, mount: Mount): number {
  const own = duration().safeParse(data['ttl'] ?? data['lease']);
  if (own.success) return own.data;
  return mount.config.default_lease_ttl > 0 ? mount.config.default_lease_ttl : leaseSecondsDefault;
}

async function writeSecret(
  write: SecretWriter,
  input: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<Reply> {
  const place = placeOf(context);
  if (place.path === '') throw badRequest('missing path');
  if (Object.keys(input).length === 0) throw badRequest('missing data fields');
  return write(place, jsonText(input));
}
