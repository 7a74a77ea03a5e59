import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, text } from '#path/fields.ts';
import { aliasView } from '../alias/row.ts';
import { aliasPage, deleteAlias, findAlias } from '../alias/store.ts';
import { writeAlias } from '../alias/write.ts';
import { mustBeShort } from '../names.ts';
import type { IdentityParts } from '../parts.ts';
import { aliasFields, customMetadataField, mountNamed } from './alias-fields.ts';
import { aliasId, aliasRows } from './aliases.ts';
import { emptyToUndefined } from './entity-fields.ts';

const fields = {
  ...aliasFields,
  entity_id: text(64)
    .optional()
    .meta({ description: 'Old name of canonical_id, which takes precedence', formerNameOf: 'canonical_id' }),
  custom_metadata: customMetadataField,
};
const { id: _id, ...changeFields } = fields;

/** `entity-alias`, `entity-alias/id/`. */
export const entityAliasRows = (parts: IdentityParts): readonly Row[] =>
  aliasRows(parts, {
    owner: 'entity',
    help: 'Ties the name that a user or machine has at an auth method to an entity.',
    write: operation(fields, {
      summary: 'Create or update an alias of an entity',
      run: (input, context) => write(parts, input, context),
    }),
    change: operation(
      { ...changeFields, ...aliasId },
      { summary: 'Update an alias of an entity', run: (input, context) => write(parts, input, context) },
    ),
    page: ({ id }, page, mounts) => aliasPage(parts.store, id, page, mounts),
    async find(namespace, id) {
      const alias = await findAlias(parts.store, namespace.id, id);
      return alias && aliasView(alias, await parts.mountsOf(namespace));
    },
    remove: (namespace, id) => deleteAlias(parts.store, namespace.id, id),
  });

async function write(
  parts: IdentityParts,
  input: Partial<Input<typeof fields>>,
  { namespace }: RequestContext,
): Promise<Reply> {
  mustBeShort('custom_metadata', input.custom_metadata);
  const data = await writeAlias(parts.store, namespace.id, {
    id: emptyToUndefined(input.id),
    name: emptyToUndefined(input.name),
    mount: await mountNamed(parts, namespace, input.mount_accessor),
    entityId: emptyToUndefined(input.canonical_id) ?? emptyToUndefined(input.entity_id),
    entityField: emptyToUndefined(input.canonical_id) === undefined ? 'entity_id' : 'canonical_id',
    customMetadata: input.custom_metadata,
  });
  return { data };
}
