import { badField } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { Mount } from '#path/contract/mount.ts';
import { text, textMap } from '#path/fields.ts';
import { nameText } from '../names.ts';
import type { IdentityParts } from '../parts.ts';
import { emptyToUndefined } from './entity-fields.ts';

export const aliasFields = {
  id: text(64).optional().meta({ description: 'Id of an existing alias' }),
  name: nameText().optional().meta({ description: 'Name of the user, machine or group at the auth method' }),
  mount_accessor: text(256).optional().meta({ description: 'Accessor of the mount of the auth method' }),
  canonical_id: text(64).optional().meta({ description: 'Entity or group of the alias; default: a new one' }),
};

export const customMetadataField = textMap().optional().meta({ description: 'Metadata, which policies can refer to' });

/** The mount with an accessor. Undefined when no accessor was given. @throws AppError `bad-request` for an unknown accessor */
export async function mountNamed(
  { mountsOf }: IdentityParts,
  namespace: Namespace,
  accessor: string | undefined,
): Promise<Mount | undefined> {
  if (emptyToUndefined(accessor) === undefined) return undefined;
  const mount = (await mountsOf(namespace)).get(accessor ?? '');
  if (mount === undefined) throw badField('mount_accessor', `invalid mount accessor ${JSON.stringify(accessor)}`);
  return mount;
}
