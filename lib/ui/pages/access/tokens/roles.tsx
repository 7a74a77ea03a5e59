import { accessUrl } from '../address.ts';
import type { Kind } from '../described/kind.ts';
import { Things } from '../described/things.tsx';

const roles: Kind = {
  id: 'token-roles',
  noun: 'token role',
  title: 'Token roles',
  list: 'auth/token/roles',
  icon: 'key',
  empty: 'A role limits the tokens that are created against it: their policies, lifetime and addresses.',
  consequence: 'Tokens that were created against it stay as they are until they are renewed.',
  url: (query) => accessUrl('roles', query),
};

export const TokenRoles = () => <Things kind={roles} />;
