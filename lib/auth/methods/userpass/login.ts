import { badRequest } from '../../../core/errors.ts';
import type { Row } from '../../../path/contract/row.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import type { MethodParts } from '../contract.ts';
import { password, username } from './fields.ts';
import { loginFinder } from './find-for-login.ts';
import { isPassword } from './hashing.ts';
import { keyOf } from './users.ts';

/** `login/:username`. Who is not there is refused as he whose password is wrong, and as late. */
export const loginRow = ({ store, login, lockout }: MethodParts): Row => {
  const find = loginFinder(store);
  return {
    pattern: 'login/:username',
    help: 'Logs in with a password.',
    operations: {
      write: login(
        { username, password },
        {
          summary: 'Log in with a password',
          async who(input, context) {
            if (input.password === '') throw badRequest('missing password');
            const key = keyOf(input.username, context);
            const found = await find(key);
            const check = () => isPassword(input.password, found?.user.password);
            const right = await (found === undefined
              ? lockout.unknown(context, check)
              : lockout.guarded(context, key.name, found.isLocked, check));
            if (found === undefined || !right) throw badRequest('invalid username or password');
            return {
              displayName: key.name,
              alias: key.name,
              policies: found.user.settings.token_policies,
              metadata: { username: key.name },
              bounds: boundsOf(found.user.settings, context),
            };
          },
        },
      ),
    },
  };
};
