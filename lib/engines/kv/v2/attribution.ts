import { createHash } from 'node:crypto';
import type { Caller } from '../../../path/row.ts';
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

/**
 * What this API family counts clients by: the entity, or for a token without one a hash of its policies and its namespace,
 * which is always `root` here.
 */
function clientId({ entityId, policies }: Caller): string {
  if (entityId !== '') return entityId;
  return createHash('sha256')
    .update(`${policies.toSorted().join('\x7f')}\0root`)
    .digest('base64');
}
