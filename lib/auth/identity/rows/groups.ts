import { badRequest } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { foldedList, type Input, pathText, text, textList, textMap } from '../../../path/fields.ts';
import { findGroup, type GroupKey, groupPage } from '../group/read.ts';
import { groupView } from '../group/view.ts';
import { deleteGroup, writeGroup } from '../group/write.ts';
import { mustBeShort, nameText } from '../names.ts';
import { listedWithInfo, pageFields } from '../paging.ts';
import type { IdentityParts } from '../parts.ts';
import { shortName } from './entities.ts';
import { assignable, blankless } from './entity-fields.ts';

const fields = {
  id: text(64).optional().meta({ description: 'Group that is changed; absent: the one of the name, or a new one' }),
  name: nameText().optional().meta({ description: 'Name; default: group-<id>' }),
  type: text(64)
    .optional()
    .meta({ description: '"internal", or "external": logins say who is in it; default: internal' }),
  metadata: textMap().optional().meta({ description: 'Names and values, which policies may refer to' }),
  policies: foldedList().optional().meta({ description: 'Policies that every token of a member has' }),
  member_entity_ids: textList().optional().meta({ description: 'Ids of all entities that are in it' }),
  member_group_ids: textList().optional().meta({ description: 'Ids of all groups that are in it' }),
};
const { id: _id, ...fieldsById } = fields;
const { name: _name, ...fieldsByName } = fieldsById;
const id = pathText('Id of the group');
const name = pathText('Name of the group');

/** `group`, `group/id/`, `group/name/`. */
export const groupRows = (parts: IdentityParts): readonly Row[] => [
  {
    pattern: 'group',
    help: 'Makes a group of entities, or changes the one of an id or a name.',
    operations: {
      write: operation(fields, {
        summary: 'Create or change a group',
        run: (input, context) => write(parts, input, context),
      }),
    },
  },
  listRow(parts, 'id'),
  listRow(parts, 'name'),
  {
    pattern: 'group/id/:id',
    help: 'A group by its id.',
    operations: {
      read: operation({ id }, { summary: 'Show a group', run: (input, context) => read(parts, context, input) }),
      write: operation(
        { ...fieldsById, id },
        { summary: 'Change a group', run: (input, context) => write(parts, input, context) },
      ),
      delete: operation({ id }, { summary: 'Delete a group', run: (input, context) => remove(parts, context, input) }),
    },
  },
  {
    pattern: 'group/name/*name',
    restIsName: true,
    help: 'A group by its name.',
    operations: {
      read: operation({ name }, { summary: 'Show a group', run: (input, context) => read(parts, context, input) }),
      write: operation(
        { ...fieldsByName, name },
        {
          summary: 'Create or change a group',
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
  help: `Lists the groups by ${by}.`,
  operations: {
    list: operation(pageFields, {
      summary: 'List groups',
      run: (page, { namespace }) => listedWithInfo(page, (one) => groupPage(store, namespace.id, by, one)),
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
  mustBeShort(input.metadata);
  const id = blankless(input.id);
  const { isNew, ...data } = await writeGroup(store, namespace.id, {
    id,
    name: blankless(input.name),
    type: typeOf(blankless(input.type)),
    metadata: input.metadata,
    policies: assignable(input.policies),
    memberEntityIds: input.member_entity_ids,
    memberGroupIds: input.member_group_ids,
  });
  // A client that meant to make a group would take the id of the one that has the name for its own.
  return isNew || id !== undefined ? { data } : undefined;
}

function typeOf(given: string | undefined): 'internal' | 'external' | undefined {
  if (given === undefined || given === 'internal' || given === 'external') return given;
  throw badRequest('invalid group type: it is "internal" or "external"');
}

async function remove(
  { store }: IdentityParts,
  { namespace }: RequestContext,
  which: Parameters<typeof deleteGroup>[2],
): Promise<Reply> {
  await deleteGroup(store, namespace.id, which);
  return undefined;
}
