import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { foldedList, type Input, pathText, text, textList, textMap } from '#path/fields.ts';
import { entryPageFields, listEntries } from '#path/listing.ts';
import { findGroup, type GroupKey, groupPage } from '../group/read.ts';
import { groupView } from '../group/view.ts';
import { deleteGroup, writeGroup } from '../group/write.ts';
import { mustBeShort, nameText } from '../names.ts';
import type { IdentityParts } from '../parts.ts';
import { shortName } from './entities.ts';
import { assignable, emptyToUndefined } from './entity-fields.ts';

const fields = {
  id: text(64)
    .optional()
    .meta({ description: 'Id of an existing group; default: the group with the name, or a new one' }),
  name: nameText().optional().meta({ description: 'Name; default: group-<id>' }),
  type: text(64)
    .optional()
    .meta({ description: '"internal", or "external" for a group whose members come from logins; default: internal' }),
  metadata: textMap().optional().meta({ description: 'Metadata, which policies can refer to' }),
  policies: foldedList().optional().meta({ description: 'Policies of every token of a member' }),
  member_entity_ids: textList().optional().meta({ description: 'Ids of all member entities' }),
  member_group_ids: textList().optional().meta({ description: 'Ids of all member groups' }),
};
const { id: _id, ...fieldsById } = fields;
const { name: _name, ...fieldsByName } = fieldsById;
const id = pathText('Id of the group');
const name = pathText('Name of the group');

/** `group`, `group/id/`, `group/name/`. */
export const groupRows = (parts: IdentityParts): readonly Row[] => [
  {
    pattern: 'group',
    help: 'Creates a group of entities, or updates the one with an id or name.',
    operations: {
      write: operation(fields, {
        summary: 'Create or update a group',
        run: (input, context) => write(parts, input, context),
      }),
    },
  },
  listRow(parts, 'id'),
  listRow(parts, 'name'),
  {
    pattern: 'group/id/:id',
    help: 'Manages a group by its id.',
    operations: {
      read: operation({ id }, { summary: 'Read a group', run: (input, context) => read(parts, context, input) }),
      write: operation(
        { ...fieldsById, id },
        { summary: 'Update a group', run: (input, context) => write(parts, input, context) },
      ),
      delete: operation({ id }, { summary: 'Delete a group', run: (input, context) => remove(parts, context, input) }),
    },
  },
  {
    pattern: 'group/name/*name',
    restIsName: true,
    help: 'Manages a group by its name.',
    operations: {
      read: operation({ name }, { summary: 'Read a group', run: (input, context) => read(parts, context, input) }),
      write: operation(
        { ...fieldsByName, name },
        {
          summary: 'Create or update a group',
          run: (input, context) => write(parts, { ...input, name: shortName(input.name) }, context),
        },
      ),
      delete: operation(
        { name },
        { summary: 'Delete a group', run: (input, context) => remove(parts, context, input) },
      ),
    },
  },
];

const listRow = ({ store }: IdentityParts, by: 'id' | 'name'): Row => ({
  pattern: `group/${by}/`,
  help: `Lists groups by ${by}.`,
  operations: {
    list: operation(entryPageFields, {
      summary: 'List groups',
      run: (page, { namespace }) => listEntries(page, (part) => groupPage(store, namespace.id, by, part)),
    }),
  },
});

async function read({ store, mountsOf }: IdentityParts, { namespace }: RequestContext, key: GroupKey): Promise<Reply> {
  const group = await findGroup(store, namespace.id, key);
  return group && { data: groupView(group, await mountsOf(namespace)) };
}

async function write(
  { store }: IdentityParts,
  input: Partial<Input<typeof fields>>,
  { namespace }: RequestContext,
): Promise<Reply> {
  mustBeShort('metadata', input.metadata);
  const id = emptyToUndefined(input.id);
  const { isNew, ...data } = await writeGroup(store, namespace.id, {
    id,
    name: emptyToUndefined(input.name),
    type: typeOf(emptyToUndefined(input.type)),
    metadata: input.metadata,
    policies: assignable(input.policies),
    memberEntityIds: input.member_entity_ids,
    memberGroupIds: input.member_group_ids,
  });
  // A client that meant to create a group would take the id of the existing one for that of a new one.
  return isNew || id !== undefined ? { data } : undefined;
}

function typeOf(given: string | undefined): 'internal' | 'external' | undefined {
  if (given === undefined || given === 'internal' || given === 'external') return given;
  throw badField('type', 'invalid group type: expected "internal" or "external"');
}

async function remove(
  { store }: IdentityParts,
  { namespace }: RequestContext,
  which: Parameters<typeof deleteGroup>[2],
): Promise<Reply> {
  await deleteGroup(store, namespace.id, which);
  return undefined;
}
