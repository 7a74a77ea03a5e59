import { useLocation } from 'preact-iso';
import { textOf } from '#client/wire/json.ts';
import { listIn } from '#ui/table/pages.ts';
import { accessUrl } from '../address.ts';
import type { Kind } from '../described/kind.ts';
import { Things } from '../described/things.tsx';
import { EntityFacts } from './entity.tsx';
import { GroupFacts } from './group.tsx';

const entities: Kind = {
  id: 'entities',
  noun: 'entity',
  title: 'Entities',
  list: 'identity/entity/id',
  create: 'identity/entity',
  icon: 'person',
  hidden: ['id'],
  empty: 'An entity is one user or machine, however it logs in. The first login of anyone makes one.',
  consequence: 'Its aliases, its second factors and its tokens end with it.',
  url: (query) => accessUrl('entities', query),
  more: (info) =>
    listIn(info, 'aliases')
      .map((alias) => `${textOf(alias, 'name')} at ${textOf(alias, 'mount_path') || 'a mount that is gone'}`)
      .join(', '),
  above: (stored, id) => <EntityFacts entity={stored} id={id} />,
};

const groups: Kind = {
  id: 'groups',
  noun: 'group',
  title: 'Groups',
  list: 'identity/group/id',
  create: 'identity/group',
  icon: 'layers',
  hidden: ['id'],
  empty: 'A group gives its policies to all its members. Those of an external group come from logins.',
  consequence: 'Its members lose the policies of the group at once.',
  url: (query) => accessUrl('groups', query),
  above: (stored) => <GroupFacts group={stored} />,
};

const entityAliases: Kind = {
  id: 'entity-aliases',
  noun: 'entity alias',
  title: 'Aliases of entities',
  list: 'identity/entity-alias/id',
  create: 'identity/entity-alias',
  icon: 'key',
  hidden: ['id'],
  empty: 'An alias ties a name at an auth method to an entity. Logins make them.',
  consequence: 'Its entity stays. The next login with this name gets another entity.',
  url: (query) => accessUrl('aliases', query),
  more: (info) => textOf(info, 'mount_path'),
};

const groupAliases: Kind = {
  ...entityAliases,
  id: 'group-aliases',
  noun: 'group alias',
  title: 'Aliases of groups',
  list: 'identity/group-alias/id',
  create: 'identity/group-alias',
  empty: 'An alias ties the name of a group at an auth method to an external group.',
  consequence: 'The group stays. Logins no longer change who is in it.',
  url: (query) => accessUrl('aliases', { of: 'groups', ...query }),
};

export const Entities = () => <Things kind={entities} />;
export const Groups = () => <Things kind={groups} />;

export function Aliases() {
  const { query } = useLocation();
  const ofGroups = query['of'] === 'groups';
  return (
    <>
      <nav class="access-choice" aria-label="Whose aliases">
        <a href={accessUrl('aliases')} aria-current={ofGroups ? undefined : 'true'}>
          Of entities
        </a>
        <a href={accessUrl('aliases', { of: 'groups' })} aria-current={ofGroups ? 'true' : undefined}>
          Of groups
        </a>
      </nav>
      {ofGroups ? <Things key="groups" kind={groupAliases} /> : <Things key="entities" kind={entityAliases} />}
    </>
  );
}
