import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, text } from '#path/fields.ts';
import { findEntity } from '../entity/read.ts';
import { entityView } from '../entity/view.ts';
import { findGroup } from '../group/read.ts';
import { groupView } from '../group/view.ts';
import { nameText } from '../names.ts';
import type { IdentityParts } from '../parts.ts';

const fields = {
  id: text(64).default('').meta({ description: 'Id' }),
  name: nameText().default('').meta({ description: 'Name' }),
  alias_id: text(64).default('').meta({ description: 'Id of an alias' }),
  alias_name: nameText().default('').meta({ description: 'Name of an alias, with alias_mount_accessor' }),
  alias_mount_accessor: text(256).default('').meta({ description: 'Accessor of the mount of the alias' }),
};

/** `lookup/entity` and `lookup/group`. The reply is empty when nothing is found. */
export const lookupRows = ({ store, mountsOf }: IdentityParts): readonly Row[] => [
  {
    pattern: 'lookup/entity',
    help: 'Finds an entity by its id, its name or one of its aliases.',
    operations: {
      write: operation(fields, {
        summary: 'Find an entity',
        async run(input, { namespace }) {
          const entity = await findEntity(store, namespace.id, keyOf(input));
          return entity && { data: entityView(entity, await mountsOf(namespace)) };
        },
      }),
    },
  },
  {
    pattern: 'lookup/group',
    help: 'Finds a group by its id, its name or its alias.',
    operations: {
      write: operation(fields, {
        summary: 'Find a group',
        async run(input, { namespace }) {
          const group = await findGroup(store, namespace.id, keyOf(input));
          return group && { data: groupView(group, await mountsOf(namespace)) };
        },
      }),
    },
  },
];

/** @throws AppError `bad-request` when the parameters do not identify anything */
function keyOf({ id, name, alias_id, alias_name, alias_mount_accessor }: Input<typeof fields>) {
  if (id !== '') return { id };
  if (name !== '') return { name };
  if (alias_id !== '') return { aliasId: alias_id };
  if (alias_name === '' && alias_mount_accessor === '')
    throw badField(Object.keys(fields), 'query parameter not supplied');
  if (alias_name === '' || alias_mount_accessor === '')
    throw badField(
      ['alias_name', 'alias_mount_accessor'],
      "both 'alias_name' and 'alias_mount_accessor' needs to be set",
    );
  return { aliasName: alias_name, mountAccessor: alias_mount_accessor };
}
