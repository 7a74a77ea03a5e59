import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { type Input, pathText } from '../../../path/fields.ts';
import { deleteGroupAlias, writeGroupAlias } from '../group/alias.ts';
import { findGroupAlias, groupAliasPage } from '../group/alias-read.ts';
import { groupAliasView } from '../group/view.ts';
import { listedWithInfo, pageFields } from '../paging.ts';
import type { IdentityParts } from '../parts.ts';
import { aliasFields, mountNamed } from './alias-fields.ts';
import { blankless } from './entity-fields.ts';

const { id: _id, ...fieldsById } = aliasFields;
const id = pathText('Id of the alias');

/** `group-alias`, `group-alias/id/`. */
export const groupAliasRows = (parts: IdentityParts): readonly Row[] => [
  {
    pattern: 'group-alias',
    help: 'Ties what an auth method knows a group by to an external group.',
    operations: {
      write: operation(aliasFields, {
        summary: 'Create or change an alias of a group',
        run: (input, context) => write(parts, input, context),
      }),
    },
  },
  {
    pattern: 'group-alias/id/',
    help: 'Lists the aliases of groups.',
    operations: {
      list: operation(pageFields, {
        summary: 'List aliases of groups',
        async run(page, { namespace }) {
          const mounts = await parts.mountsOf(namespace);
          return listedWithInfo(page, (one) => groupAliasPage(parts.store, namespace.id, one, mounts));
        },
      }),
    },
  },
  {
    pattern: 'group-alias/id/:id',
    help: 'An alias of a group by its id.',
    operations: {
      read: operation(
        { id },
        {
          summary: 'Show an alias of a group',
          async run(input, { namespace }) {
            const alias = await findGroupAlias(parts.store, namespace.id, input.id);
            return alias && { data: groupAliasView(alias, await parts.mountsOf(namespace)) };
          },
        },
      ),
      write: operation(
        { ...fieldsById, id },
        { summary: 'Change an alias of a group', run: (input, context) => write(parts, input, context) },
      ),
      delete: operation(
        { id },
        {
          summary: 'Delete an alias of a group; the group stays',
          async run(input, { namespace }) {
            await deleteGroupAlias(parts.store, namespace.id, input.id);
            return undefined;
          },
        },
      ),
    },
  },
];

async function write(
  parts: IdentityParts,
  input: Partial<Input<typeof aliasFields>>,
  { namespace }: RequestContext,
): Promise<Reply> {
  const mount = await mountNamed(parts, namespace, input.mount_accessor);
  const data = await writeGroupAlias(parts.store, namespace.id, {
    id: blankless(input.id),
    name: blankless(input.name),
    mountAccessor: mount?.accessor,
    groupId: blankless(input.canonical_id),
  });
  return { data };
}
