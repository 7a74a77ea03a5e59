import { badField, permissionDenied } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Row } from '#path/contract/row.ts';
import { isAddressAllowed } from '../../cidr.ts';
import type { Identity } from '../../login/contract.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import type { MethodParts } from '../contract.ts';
import { loginFields } from './fields.ts';
import { loginFinder } from './find-for-login.ts';
import type { Role } from './role.ts';
import { hashOfSecretId, takeUse, type UsedSecretId } from './secret-ids-store.ts';

/** `login`. An unknown role id and a wrong secret id get the same reply. */
export const loginRow = (parts: MethodParts): Row => ({
  pattern: 'login',
  help: 'Logs in with a role id and a secret id.',
  operations: {
    write: parts.login(loginFields, { summary: 'Log in with a role id and a secret id', identify: identifier(parts) }),
  },
});

/** An unknown role id takes the same statements as a wrong secret id. */
const identifier = ({
  store,
  lockout,
}: MethodParts): ((input: Given, context: RequestContext) => Promise<Identity>) => {
  const find = loginFinder(store);
  return async ({ role_id: roleId, secret_id: text }, context) => {
    if (roleId === '') throw badField('role_id', 'missing role_id');
    const hash = hashOfSecretId(store, context.mount.id, text);
    const found = await find({ mountId: context.mount.id, roleId, hash });
    const { role, secretId } = found;
    if (role?.settings.bind_secret_id === false) return identityOf(role, undefined, context);
    if (text === '') throw badField('secret_id', 'missing secret_id');
    const seen = { ...found, isKnown: role !== undefined, isCorrect: secretId !== undefined };
    const isCorrect = await lockout.record(context, seen);
    if (!isCorrect || role === undefined || secretId === undefined) throw wrong();
    const identity = identityOf(role, secretId, context);
    if (secretId.num_uses > 0 && !(await takeUse(store, role, hash))) throw wrong();
    return identity;
  };
};

interface Given {
  readonly role_id: string;
  readonly secret_id: string;
}

const wrong = () => badField(['role_id', 'secret_id'], 'invalid role or secret ID');

/** @throws AppError `permission-denied` for a login from an address that is not allowed */
function identityOf(role: Role, secretId: UsedSecretId | undefined, context: RequestContext): Identity {
  const { settings } = role;
  const from = context.connection.remoteAddress;
  const isAllowed =
    isAddressAllowed(settings.secret_id_bound_cidrs, from) && isAddressAllowed(secretId?.cidrs ?? [], from);
  if (!isAllowed) throw permissionDenied();
  const metadata = { ...secretId?.metadata, role_name: role.name };
  const own = secretId?.token_cidrs ?? [];
  return {
    displayName: role.name,
    alias: role.roleId,
    role: role.name,
    policies: settings.token_policies,
    metadata,
    aliasMetadata: metadata,
    bounds: boundsOf(own.length > 0 ? { ...settings, token_bound_cidrs: own } : settings, context),
  };
}
