import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, textList, textMap } from '#path/fields.ts';
import { entryPageFields, listEntries } from '#path/listing.ts';
import { entityPage } from '../entity/list.ts';
import { type EntityKey, findEntity } from '../entity/read.ts';
import { entityReply, entityView } from '../entity/view.ts';
import { deleteEntities, type EntityChange, writeEntity } from '../entity/write.ts';
import { nameText } from '../names.ts';
import type { IdentityParts } from '../parts.ts';
import { entityChange, entityFields } from './entity-fields.ts';

const { id: _id, ...fieldsById } = entityFields;
const { name: _name, ...fieldsByName } = fieldsById;
const idInPath = pathText('Id of the entity');
const nameInPath = pathText('Name of the entity');

/** `entity`, `entity/id/`, `entity/name/`, `entity/batch-delete`. */
export const entityRows = (parts: IdentityParts): readonly Row[] => [
  {
    pattern: 'entity',
    help: 'Creates an entity, or updates the one with an id or name.',
    operations: {
      write: operation(entityFields, {
        summary: 'Create or update an entity',
        run: (input, context) => write(parts, context, entityChange(input)),
      }),
    },
  },
  listRow(parts, 'id'),
  listRow(parts, 'name'),
  {
    pattern: 'entity/id/:id',
    help: 'Manages an entity by its id.',
    operations: {
      read: operation({ id: idInPath }, { summary: 'Read an entity', run: ({ id }, at) => read(parts, at, { id }) }),
      write: operation(
        { ...fieldsById, id: idInPath },
        {
          summary: 'Update an entity',
          run: (input, context) => write(parts, context, entityChange(input)),
        },
      ),
      delete: operation(
        { id: idInPath },
        { summary: 'Delete an entity and its aliases', run: ({ id }, at) => remove(parts, at, { ids: [id] }) },
      ),
    },
  },
  {
    pattern: 'entity/name/*name',
    restIsName: true,
    help: 'Manages an entity by its name.',
    operations: {
      read: operation(
        { name: nameInPath },
        { summary: 'Read an entity', run: ({ name }, at) => read(parts, at, { name }) },
      ),
      write: operation(
        { ...fieldsByName, name: nameInPath },
        {
          summary: 'Create or update an entity',
          run: (input, context) => write(parts, context, entityChange({ ...input, name: shortName(input.name) })),
        },
      ),
      delete: operation(
        { name: nameInPath },
        { summary: 'Delete an entity and its aliases', run: ({ name }, at) => remove(parts, at, { name }) },
      ),
    },
  },
  batchDeleteRow(parts),
];

const batchDeleteRow = (parts: IdentityParts): Row => ({
  pattern: 'entity/batch-delete',
  help: 'Deletes many entities.',
  operations: {
    write: operation(
      { entity_ids: textList().default([]).meta({ description: 'Ids of the entities' }) },
      {
        summary: 'Delete entities and their aliases',
        knownFieldsOnly: true,
        async run({ entity_ids: ids }, context) {
          if (ids.length === 0) throw badField('entity_ids', 'missing entity ids to delete');
          return remove(parts, context, { ids });
        },
      },
    ),
  },
});

const listRow = (parts: IdentityParts, by: 'id' | 'name'): Row => ({
  pattern: `entity/${by}/`,
  help: `Lists entities by ${by}.`,
  operations: {
    list: operation(
      {
        ...entryPageFields,
        name: nameText().default('').meta({ description: 'Return only entities whose name starts with this prefix' }),
        metadata: textMap()
          .default({})
          .meta({ description: 'Return only entities whose metadata includes these entries' }),
      },
      {
        summary: 'List entities',
        async run({ name: prefix, metadata, ...page }, { namespace }) {
          const mounts = await parts.mountsOf(namespace);
          return listEntries(page, (part) =>
            entityPage(parts.store, namespace.id, by, part, { prefix, metadata }, mounts),
          );
        },
      },
    ),
  },
});

/** Limits a name in a path like one in a body. @throws AppError `bad-request` */
export function shortName(name: string): string {
  const parsed = nameText().safeParse(name);
  if (!parsed.success || name === '') throw badField('name', 'the name is empty or too long');
  return name;
}

async function read({ store, mountsOf }: IdentityParts, { namespace }: RequestContext, key: EntityKey): Promise<Reply> {
  const entity = await findEntity(store, namespace.id, key);
  return entity && { data: entityView(entity, await mountsOf(namespace)) };
}

/**
 * An update of an entity that was found by its name has an empty reply: a client that meant to create one would take the id of the
 * existing entity for that of a new one.
 */
async function write({ store }: IdentityParts, { namespace }: RequestContext, change: EntityChange): Promise<Reply> {
  const { entity, isNew } = await writeEntity(store, namespace.id, change);
  return isNew || change.id !== undefined ? { data: entityReply(entity) } : undefined;
}

async function remove(
  { store }: IdentityParts,
  { namespace }: RequestContext,
  which: Parameters<typeof deleteEntities>[2],
): Promise<Reply> {
  await deleteEntities(store, namespace.id, which);
  return undefined;
}
