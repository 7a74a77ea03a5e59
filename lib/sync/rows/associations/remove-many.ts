import { z } from 'zod';
import { badRequest } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { atMost, text, textList } from '#path/fields.ts';
import { definitionOf } from '../../model/definition.ts';
import { startBatch } from '../batches/create.ts';
import type { SyncParts } from '../parts.ts';

const namesMax = 1_000;

/** Fields that select several secrets of a mount, instead of `secret_name`. */
export const manyFields = {
  secret_prefix: text()
    .optional()
    .meta({ description: 'Instead of secret_name: all secrets whose path below the mount starts with this' }),
  secret_names: textList()
    .pipe(z.array(z.string()).max(namesMax, atMost(namesMax, 'entries')))
    .optional()
    .meta({ description: `Instead of secret_name: the paths of up to ${namesMax} secrets below the mount` }),
};

interface Many {
  readonly type: string;
  readonly name: string;
  readonly mount: string;
  readonly secret_name?: string | undefined;
  readonly secret_prefix?: string | undefined;
  readonly secret_names?: readonly string[] | undefined;
}

/** Whether a request concerns several secrets. @throws AppError `bad-request` unless exactly one of the fields selects secrets */
export function isMany({ secret_name, secret_prefix, secret_names }: Many): boolean {
  const given = [secret_name, secret_prefix, secret_names].filter((value) => value !== undefined).length;
  if (given > 1) throw badRequest('secret_name, secret_prefix and secret_names exclude each other: send one of them');
  return secret_prefix !== undefined || secret_names !== undefined;
}

/** Starts a batch that removes the associations of the selected secrets with the destination. */
export async function removeMany(parts: SyncParts, input: Many, context: RequestContext): Promise<Reply> {
  const { type } = definitionOf(parts.definitions, input.type, context.vocabulary);
  const { name, secret_prefix, secret_names } = input;
  if (secret_prefix === '' || secret_names?.length === 0)
    throw badRequest('secret_prefix and secret_names cannot be empty: use sys/sync/batches to remove all associations');
  const below = (path: string) => path.replace(/^\/+/, '');
  const filter = {
    type,
    name,
    mount: `${input.mount.replace(/^\/+|\/+$/g, '')}/`,
    prefix: secret_prefix && below(secret_prefix),
  };
  return startBatch(parts, { action: 'remove', filter, secrets: secret_names?.map(below) }, context);
}
