import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { type Input, pathText, text } from '../../../path/fields.ts';
import { aliasView } from '../alias/row.ts';
import { aliasPage, deleteAlias, findAlias } from '../alias/store.ts';
import { writeAlias } from '../alias/write.ts';
import { mustBeShort } from '../names.ts';
import { listedWithInfo, pageFields } from '../paging.ts';
import type { IdentityParts } from '../parts.ts';
import { aliasFields, customMetadataField, mountNamed } from './alias-fields.ts';
import { blankless } from './entity-fields.ts';

const fields = {
  ...aliasFields,
  entity_id: text(64)
    .optional()
    .meta({ description: 'Old name of canonical_id, which wins', formerNameOf: 'canonical_id' }),
  custom_metadata: customMetadataField,
};
const { id: _id, ...fieldsById } = fields;
const id = pathText('Id of the alias');

/** `entity-alias`, `entity-alias/id/`. */
export const entityAliasRows = (parts: IdentityParts): readonly Row[] => [
  {
    pattern: 'entity-alias',
    help: 'Ties what an auth method knows somebody by to an entity.',
    operations: {
      write: operation(fields, {
        summary: 'Create or change an alias of an entity',
        run: (input, context) => write(parts, input, context),
      }),
    },
  },
  {
    pattern: 'entity-alias/id/',
    help: 'Lists the aliases of entities.',
    operations: {
      list: operation(pageFields, {
        summary: 'List aliases of entities',
        async run(page, { namespace }) {
          const mounts = await parts.mountsOf(namespace);
          return listedWithInfo(page, (one) => aliasPage(parts.store, namespace.id, one, mounts));
        },
      }),
    },
  },
  {
    pattern: 'entity-alias/id/:id',
    help: 'An alias of an entity by its id.',
    operations: {
      read: operation(
        { id },
        {
          summary: 'Show an alias of an entity',
          async run(input, { namespace }) {
            const alias = await findAlias(parts.store, namespace.id, input.id);
            return alias && { data: aliasView(alias, await parts.mountsOf(namespace)) };
          },
        },
      ),
      write: operation(
        { ...fieldsById, id },
        { summary: 'Change an alias of an entity', run: (input, context) => write(parts, input, context) },
      ),
      delete: operation(
        { id },
        {
          summary: 'Delete an alias of an entity; the entity stays',
          async run(input, { namespace }) {
            await deleteAlias(parts.store, namespace.id, input.id);
            return undefined;
          },
        },
      ),
    },
  },
];

async function write(
  parts: IdentityParts,
  input: Partial<Input<typeof fields>>,
  { namespace }: RequestContext,
): Promise<Reply> {
  mustBeShort(input.custom_metadata);
  const data = await writeAlias(parts.store, namespace.id, {
    id: blankless(input.id),
    name: blankless(input.name),
    mount: await mountNamed(parts, namespace, input.mount_accessor),
    entityId: blankless(input.canonical_id) ?? blankless(input.entity_id),
    customMetadata: input.custom_metadata,
  });
  return { data };
}
