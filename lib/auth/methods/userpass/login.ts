import { badField } from '#core/errors.ts';
import type { Row } from '#path/contract/row.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import type { MethodParts } from '../contract.ts';
import { password, username } from './fields.ts';
import { loginFinder } from './find-for-login.ts';
import { costOf, isPassword } from './hashing.ts';
import { keepCost } from './store.ts';
import { keyOf } from './users.ts';

/** `login/:username`. An unknown user gets the same reply after the same work as a wrong password. */
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
          async identify(input, context) {
            if (input.password === '') throw badField('password', 'missing password');
            const key = keyOf(input.username, context);
            const found = await find(key);
            const { user, costMax } = found;
            const isCorrect = await lockout.check(context, found, () =>
              isPassword(input.password, user?.password, costMax),
            );
            if (found.lacksCost && user?.password !== undefined) await keepCost(store, key, costOf(user.password));
            if (user === undefined || !isCorrect)
              throw badField(['username', 'password'], 'invalid username or password');
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
  };
};
