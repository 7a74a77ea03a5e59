import { badRequest } from '../../../core/errors.ts';
import type { Row } from '../../../path/row.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import type { MethodParts } from '../contract.ts';
import { password, username } from './fields.ts';
import { isPassword } from './hashing.ts';
import { findUser } from './store.ts';
import { keyOf } from './users.ts';

/** `login/:username`. Who is not there is refused as he whose password is wrong, and as late. */
export const loginRow = ({ store, login, lockout }: MethodParts): Row => ({
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
          const user = await findUser(store, key);
          const check = () => isPassword(input.password, user?.password);
          const right = await (user === undefined
            ? lockout.unknown(context, check)
            : lockout.guarded(context, key.name, check));
          if (user === undefined || !right) throw badRequest('invalid username or password');
          return {
            displayName: key.name,
            alias: key.name,
            policies: user.settings.token_policies,
            metadata: { username: key.name },
            bounds: boundsOf(user.settings, context),
          };
        },
      },
    ),
  },
});
