import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import type { Input } from '#path/fields.ts';
import { deleteGroupAlias, writeGroupAlias } from '../group/alias.ts';
import { findGroupAlias, groupAliasPage } from '../group/alias-read.ts';
import { groupAliasView } from '../group/view.ts';
import type { IdentityParts } from '../parts.ts';
import { aliasFields, mountNamed } from './alias-fields.ts';
import { aliasId, aliasRows } from './aliases.ts';
import { emptyToUndefined } from './entity-fields.ts';

const { id: _id, ...changeFields } = aliasFields;

/** `group-alias`, `group-alias/id/`. */
export const groupAliasRows = (parts: IdentityParts): readonly Row[] =>
  aliasRows(parts, {
    owner: 'group',
    help: 'Ties the name that a group has at an auth method to an external group.',
    write: operation(aliasFields, {
      summary: 'Create or update an alias of a group',
      run: (input, context) => write(parts, input, context),
    }),
    change: operation(
      { ...changeFields, ...aliasId },
      { summary: 'Update an alias of a group', run: (input, context) => write(parts, input, context) },
    ),
    page: ({ id }, page, mounts) => groupAliasPage(parts.store, id, page, mounts),
    async find(namespace, id) {
      const alias = await findGroupAlias(parts.store, namespace.id, id);
      return alias && groupAliasView(alias, await parts.mountsOf(namespace));
    },
    remove: (namespace, id) => deleteGroupAlias(parts.store, namespace.id, id),
  });

async function write(
  parts: IdentityParts,
  input: Partial<Input<typeof aliasFields>>,
  { namespace }: RequestContext,
): Promise<Reply> {
  const mount = await mountNamed(parts, namespace, input.mount_accessor);
  const data = await writeGroupAlias(parts.store, namespace.id, {
    id: emptyToUndefined(input.id),
    name: emptyToUndefined(input.name),
    mountAccessor: mount?.accessor,
    groupId: emptyToUndefined(input.canonical_id),
  });
  return { data };
}
