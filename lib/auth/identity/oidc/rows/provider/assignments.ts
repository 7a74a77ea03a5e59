import { badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { textList } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { nameField, quoted } from '../../fields.ts';
import { assignments, clientsOf } from '../../provider/kinds.ts';
import { changeSettings, findSettings, removeSettings, settingsPage } from '../../provider/resource.ts';
import { resourceRows } from './resource-rows.ts';

const fields = {
  name: nameField('assignment'),
  entity_ids: textList().optional().meta({ description: 'Ids of entities that may log in' }),
  group_ids: textList().optional().meta({ description: 'Ids of groups whose members may log in' }),
};

/** `oidc/assignment/`: who may log in at clients. */
export const assignmentRows = (store: Store): readonly Row[] =>
  resourceRows({
    kind: 'assignment',
    thing: 'an assignment of OpenID Connect clients',
    things: 'assignments of OpenID Connect clients',
    help: 'Manages an assignment: the entities and groups that may log in at the clients that name it.',
    write: operation(fields, {
      summary: 'Create or update an assignment of OpenID Connect clients',
      async run({ name, entity_ids, group_ids }, { namespace }) {
        mustBeChangeable('modification', name);
        await changeSettings(store, assignments, { namespaceId: namespace.id, name }, async (_tx, before) => ({
          entity_ids: entity_ids ?? before?.entity_ids ?? [],
          group_ids: group_ids ?? before?.group_ids ?? [],
        }));
        return undefined;
      },
    }),
    find: (at) => findSettings(store, assignments, at),
    async remove(at) {
      mustBeChangeable('deletion', at.name);
      await removeSettings(store, assignments, at, {
        kind: 'clients',
        find: (tx) => clientsOf(tx, at.namespaceId, at.name),
      });
    },
    names: async (namespaceId, page) =>
      (await settingsPage(store, assignments, namespaceId, page)).map(({ name }) => name),
  });

function mustBeChangeable(what: string, name: string): void {
  if (name === assignments.builtIn?.name) throw badRequest(`${what} of assignment ${quoted(name)} not allowed`);
}
