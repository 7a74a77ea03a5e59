import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Caller } from '#path/contract/request.ts';

/** The author of a change of a secret, with the member names of the API family; null when unknown. */
export const attribution = z
  .strictObject({
    /** The display name of the token. */
    actor: z.string(),
    operation: z.string(),
    entity_id: z.string().exactOptional(),
    client_id: z.string(),
  })
  .readonly();

type Attribution = z.infer<typeof attribution>;

/** The recorded operation of a change. Deletion by version number counts as an update, as in all services of this API family. */
type Operation = 'create' | 'update' | 'patch' | 'delete' | 'undelete';

/** The author of a version as JSON texts: one for a new secret and one for an existing secret. */
export interface Authors {
  readonly create: string;
  readonly update: string;
}

export const authorsOf = (caller: Caller | undefined): Authors => ({
  create: attributionText(caller, 'create'),
  update: attributionText(caller, 'update'),
});

/** Only existing secrets can be patched. */
export function patchAuthors(caller: Caller | undefined): Authors {
  const patch = attributionText(caller, 'patch');
  return { create: patch, update: patch };
}

/** JSON text of an `Attribution`, or of null. */
export function attributionText(caller: Caller | undefined, operation: Operation): string {
  if (caller === undefined) return 'null';
  const { displayName, entityId } = caller;
  const entity = entityId === '' ? {} : { entity_id: entityId };
  return JSON.stringify({
    actor: displayName,
    operation,
    ...entity,
    client_id: clientId(caller),
  } satisfies Attribution);
}

/** The client id of this API family: the entity, or for a token without one a hash of its policies and its namespace. */
function clientId({ entityId, policies, namespace }: Caller): string {
  if (entityId !== '') return entityId;
  const text = `${policies.toSorted().join('\x7f')}\0${namespace.id}`;
  const found = hashes.get(text);
  if (found !== undefined) return found;
  const hash = createHash('sha256').update(text).digest('base64');
  hashes.set(text, hash);
  return hash;
}

const hashes = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 1_000_000,
  sizeCalculation: (_, text) => text.length,
});
