import type { Namespace } from '#core/namespace.ts';
import { type Operation, operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { entryPageFields, type ListedEntry, listEntries, type Page } from '#path/listing.ts';
import type { IdentityParts, Mounts } from '../parts.ts';

/** The aliases of entities, or those of groups. */
interface AliasKind {
  readonly owner: 'entity' | 'group';
  readonly help: string;
  /** Creates an alias or changes an existing one. */
  readonly write: Operation;
  /** Changes the alias in the path. */
  readonly change: Operation;
  /** A page of aliases in the order of their ids. */
  readonly page: (namespace: Namespace, page: Page, mounts: Mounts) => Promise<readonly ListedEntry[]>;
  /** An alias as clients read it. Undefined when it does not exist. */
  readonly find: (namespace: Namespace, id: string) => Promise<object | undefined>;
  readonly remove: (namespace: Namespace, id: string) => Promise<void>;
}

/** The field of an alias in the path. */
export const aliasId = { id: pathText('Id of the alias') };

const owners = { entity: 'entities', group: 'groups' };

/** `entity-alias` or `group-alias`, `id/` and `id/:id` below it. */
export const aliasRows = (
  { mountsOf }: IdentityParts,
  { owner, help, write, change, page, find, remove }: AliasKind,
): readonly Row[] => [
  { pattern: `${owner}-alias`, help, operations: { write } },
  {
    pattern: `${owner}-alias/id/`,
    help: `Lists the aliases of ${owners[owner]}.`,
    operations: {
      list: operation(entryPageFields, {
        summary: `List aliases of ${owners[owner]}`,
        async run(input, { namespace }) {
          const mounts = await mountsOf(namespace);
          return listEntries(input, (part) => page(namespace, part, mounts));
        },
      }),
    },
  },
  {
    pattern: `${owner}-alias/id/:id`,
    help: `Manages an alias of ${owner === 'entity' ? 'an entity' : 'a group'} by its id.`,
    operations: {
      read: operation(aliasId, {
        summary: `Read an alias of ${owner === 'entity' ? 'an entity' : 'a group'}`,
        async run({ id }, { namespace }) {
          const data = await find(namespace, id);
          return data && { data };
        },
      }),
      write: change,
      delete: operation(aliasId, {
        summary: `Delete an alias and keep its ${owner}`,
        async run({ id }, { namespace }) {
          await remove(namespace, id);
          return undefined;
        },
      }),
    },
  },
];
