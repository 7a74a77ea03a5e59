import { badField, badRequest, permissionDenied } from '#core/errors.ts';
import { isJsonObject } from '#core/json/json.ts';
import type { Secret } from '#core/secret.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import type { Store } from '#store/store.ts';
import { listFolder, pageFields } from '../folder.ts';
import { deleteEntry, entryPaths, readEntry, writeEntry } from './store.ts';

export interface CubbyholeParts {
  readonly store: Store;
  /** The keyed hash that identifies a token in the table `tokens`. */
  readonly hashOf: (token: Secret) => Buffer;
  /** Takes the wrapped reply of a wrapping token, whose single use is this request. Throws for any other token. */
  readonly takeReply: (token: Secret) => Promise<string>;
}

/** Secrets of one token, which no other token can reach, not even a root token. */
export const cubbyhole = (parts: CubbyholeParts): Engine => ({
  type: 'cubbyhole',
  always: { path: 'cubbyhole/', description: 'per-token private secret storage' },
  rows: [secretsRow(parts)],
});

/** As in KV version 1, the fields are the secret, so the path is taken from the context. */
function secretsRow({ store, hashOf, takeReply }: CubbyholeParts): Row {
  const locationOf = (context: RequestContext) => ({ owner: ownerOf(hashOf, context), path: storable(context.path) });
  return {
    pattern: '*path',
    help: "Reads, writes, lists and deletes secrets that belong to the caller's token and end with it.",
    exists: async (_input, context) => (await readEntry(store, locationOf(context))) !== undefined,
    operations: {
      read: operation(
        {},
        {
          summary: "Read a secret of the caller's token",
          takesReply: (path) => path === wrappedReply,
          async run(_input, context) {
            const wrapping = wrappingToken(context);
            if (wrapping !== undefined) return { data: { response: await takeReply(wrapping) } };
            const data = await readEntry(store, locationOf(context));
            return data && { data };
          },
        },
      ),
      list: operation(pageFields, {
        summary: "List the names in a folder of the caller's token",
        run(page, context) {
          const { owner, path } = locationOf(context);
          return listFolder(store, entryPaths(owner), path === '' || path.endsWith('/') ? path : `${path}/`, page);
        },
      }),
      write: operation(
        {},
        {
          summary: "Write a secret of the caller's token",
          anyFields: true,
          async run(input, context) {
            const location = locationOf(context);
            if (location.path === '') throw badField('path', 'missing path');
            await writeEntry(store, location, jsonOf(input));
            return undefined;
          },
        },
      ),
      delete: operation(
        {},
        {
          summary: "Delete a secret of the caller's token",
          async run(_input, context) {
            await deleteEntry(store, locationOf(context));
            return undefined;
          },
        },
      ),
    },
  };
}

const wrappedReply = 'response';

/** Clients that predate `sys/wrapping/unwrap` read the wrapped reply here, as a string. */
function wrappingToken({ caller, path }: RequestContext): Secret | undefined {
  return path === wrappedReply && caller?.policies.includes('response-wrapping') === true ? caller.token : undefined;
}

function ownerOf(hashOf: CubbyholeParts['hashOf'], { caller }: RequestContext): Buffer {
  if (caller === undefined) throw permissionDenied();
  return hashOf(caller.token);
}

function jsonOf(input: Readonly<Record<string, unknown>>): string {
  if (!isJsonObject(input) || Object.keys(input).length === 0) throw badRequest('missing data fields');
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw badRequest('the data is nested too deeply', { cause });
  }
}

/** PostgreSQL index entries hold about 2,700 bytes, and PostgreSQL cannot store U+0000. */
const pathBytesMax = 2_048;

function storable(path: string): string {
  if (path.includes('\0')) throw badField('path', 'the path contains the character U+0000, which cannot be stored');
  if (Buffer.byteLength(path) > pathBytesMax) throw badField('path', `the path is longer than ${pathBytesMax} bytes`);
  return path;
}
