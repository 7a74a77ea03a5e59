import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../path/contract/request.ts';
import type { Attribution } from '../shared/tables.ts';

/** What is kept as the operation of a change. Deletion by number counts as an update, as everywhere in this API family. */
type Operation = 'create' | 'update' | 'patch' | 'delete' | 'undelete';

/** Who writes a version, as JSON texts: for a secret that is not there yet, and for one that is. */
export interface Authors {
  readonly create: string;
  readonly update: string;
}

export const authorsOf = (caller: Caller | undefined): Authors => ({
  create: attributionText(caller, 'create'),
  update: attributionText(caller, 'update'),
});

/** Only what is there can be patched. */
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

/** What this API family counts clients by: the entity, or for a token without one a hash of its policies and its namespace. */
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
