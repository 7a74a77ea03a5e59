import { badField } from '#core/errors.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { definitionOf } from '../../model/definition.ts';
import { previewOf, startBatch } from '../batches/create.ts';
import type { SyncParts } from '../parts.ts';
import { belowMount, type Many, withSlash } from './many.ts';

/** Starts a batch that removes the associations of the selected secrets with the destination. */
export async function removeMany(parts: SyncParts, input: Many, context: RequestContext): Promise<Reply | Accepted> {
  const { type } = definitionOf(parts.definitions, input.type, context.vocabulary);
  const { name, secret_prefix, secret_names } = input;
  if (secret_prefix === '' || secret_names?.length === 0)
    throw badField(
      secret_prefix === '' ? 'secret_prefix' : 'secret_names',
      'secret_prefix and secret_names cannot be empty: use sys/sync/batches to remove all associations',
    );
  const filter = {
    type,
    name,
    mount: withSlash(input.mount),
    prefix: secret_prefix && belowMount(secret_prefix),
  };
  const secrets = secret_names?.map(belowMount);
  if (input.dry_run === true) return previewOf(parts, { action: 'remove', filter, secrets }, context);
  return startBatch(parts, { action: 'remove', filter, secrets }, context);
}
