import { badRequest } from '../../../core/errors.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { Mount } from '../../../path/contract/mount.ts';
import { text, textMap } from '../../../path/fields.ts';
import { nameText } from '../names.ts';
import type { IdentityParts } from '../parts.ts';
import { blankless } from './entity-fields.ts';

export const aliasFields = {
  id: text(64).optional().meta({ description: 'Alias that is changed' }),
  name: nameText().optional().meta({ description: 'What the auth method knows somebody or a group by' }),
  mount_accessor: text(256).optional().meta({ description: 'Accessor of the mount of the auth method' }),
  canonical_id: text(64).optional().meta({ description: 'Entity or group that the alias is of; absent: a new one' }),
};

export const customMetadataField = textMap()
  .optional()
  .meta({ description: 'Names and values, which policies may refer to' });

/** The mount of an accessor; undefined: none was named. @throws AppError `bad-request` when there is none */
export async function mountNamed(
  { mountsOf }: IdentityParts,
  namespace: Namespace,
  accessor: string | undefined,
): Promise<Mount | undefined> {
  if (blankless(accessor) === undefined) return undefined;
  const mount = (await mountsOf(namespace)).get(accessor ?? '');
  if (mount === undefined) throw badRequest(`invalid mount accessor ${JSON.stringify(accessor)}`);
  return mount;
}
