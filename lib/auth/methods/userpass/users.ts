import { badRequest } from '../../../core/errors.ts';
import type { Secret } from '../../../core/secret.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import type { FormerInput, TokenInput } from '../../login/role/fields.ts';
import { shownTokenSettings, tokenSettingsAfter, tokenSettingsWarnings } from '../../login/role/settings.ts';
import type { TokenParts } from '../../token/parts.ts';
import { listed, pageFields } from '../../token/rows/paging.ts';
import { formerNames, passwordFields, policyFields, userFields, username } from './fields.ts';
import { givenHash, hashOf } from './hashing.ts';
import { changeUser, deleteUser, findUser, type UserKey, userNames } from './store.ts';

/** Name and mount of the user that a request is about. */
export const keyOf = (name: string, { mount }: RequestContext): UserKey => ({
  mountId: mount.id,
  name: name.toLowerCase(),
});

/** `users/`, `users/:username`, and its `password` and `policies`. */
export const userRows = ({ store }: TokenParts): readonly Row[] => {
  const exists: Row['exists'] = async ({ username: name }, context) =>
    (await findUser(store, keyOf(String(name), context))) !== undefined;

  /** Changes some of a user that is there, unless he may be made. */
  async function change(input: Given, context: RequestContext, make: boolean): Promise<Reply> {
    const hash = await hashIn(input);
    await changeUser(store, keyOf(input.username, context), (before) => {
      if (before.password === undefined && !make)
        throw badRequest(`username ${JSON.stringify(input.username)} does not exist`);
      const password = hash ?? before.password;
      if (password === undefined) throw badRequest('missing password');
      return { password, settings: tokenSettingsAfter(before.settings, input) };
    });
    const warnings = tokenSettingsWarnings(input, context.mount);
    return warnings.length === 0 ? undefined : { warnings };
  }

  return [
    {
      pattern: 'users/',
      help: 'Lists the users.',
      operations: {
        list: operation(pageFields, {
          summary: 'List users',
          run: async (page, { mount }) => listed(page, (after, limit) => userNames(store, mount.id, after, limit)),
        }),
      },
    },
    {
      pattern: 'users/:username',
      help: 'A user, and what the tokens of his logins may be.',
      exists,
      operations: {
        read: operation(
          { username },
          {
            summary: 'Show a user',
            async run(input, context) {
              const user = await findUser(store, keyOf(input.username, context));
              return user && { data: shownTokenSettings(user.settings, formerNames) };
            },
          },
        ),
        write: operation(userFields, {
          summary: 'Create or change a user',
          run: (input, context) => change(input, context, true),
        }),
        delete: operation(
          { username },
          {
            summary: 'Delete a user',
            async run(input, context) {
              await deleteUser(store, keyOf(input.username, context));
              return undefined;
            },
          },
        ),
      },
    },
    {
      pattern: 'users/:username/password',
      help: 'The password of a user.',
      exists,
      operations: {
        write: operation(passwordFields, {
          summary: 'Change the password of a user',
          async run(input, context) {
            if (input.password === undefined && input.password_hash === undefined) throw badRequest('missing password');
            return change(input, context, false);
          },
        }),
      },
    },
    {
      pattern: 'users/:username/policies',
      help: 'The policies of a user.',
      exists,
      operations: {
        write: operation(policyFields, {
          summary: 'Change the policies of a user',
          run: (input, context) => change(input, context, false),
        }),
      },
    },
  ];
};

interface Given extends TokenInput, FormerInput {
  readonly username: string;
  readonly password?: string | undefined;
  readonly password_hash?: string | undefined;
}

async function hashIn({ password, password_hash: hash }: Given): Promise<Secret | undefined> {
  if (hash === undefined) return password === undefined ? undefined : hashOf(password);
  if (password !== undefined) throw badRequest('password and password_hash exclude each other');
  return givenHash(hash);
}
