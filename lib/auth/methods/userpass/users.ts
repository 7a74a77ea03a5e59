import { badField, badRequest } from '#core/errors.ts';
import type { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { listNames, pageFields } from '#path/listing.ts';
import type { Store } from '#store/store.ts';
import type { FormerInput, TokenInput } from '../../login/role/fields.ts';
import { shownTokenSettings, tokenSettingsAfter, tokenSettingsWarnings } from '../../login/role/settings.ts';
import type { TokenParts } from '../../token/parts.ts';
import { formerNames, passwordFields, policyFields, userFields, username } from './fields.ts';
import { givenHash, hashOf } from './hashing.ts';
import { changeUser, deleteUser, findUser, type UserKey, userNames } from './store.ts';

/** The key of the user that a request names. */
export const keyOf = (name: string, { mount }: RequestContext): UserKey => ({
  mountId: mount.id,
  name: name.toLowerCase(),
});

/** `users/`, `users/:username`, and its `password` and `policies`. */
export const userRows = ({ store }: TokenParts): readonly Row[] => {
  const exists: Row['exists'] = async ({ username: name }, context) =>
    (await findUser(store, keyOf(String(name), context))) !== undefined;
  return [
    {
      pattern: 'users/',
      help: 'Lists users.',
      operations: {
        list: operation(pageFields, {
          summary: 'List users',
          run: async (page, { mount }) => listNames(page, (part) => userNames(store, mount.id, part)),
        }),
      },
    },
    { ...userRow(store), exists },
    {
      pattern: 'users/:username/password',
      help: 'Sets the password of a user.',
      exists,
      operations: {
        write: operation(passwordFields, {
          summary: 'Change the password of a user',
          async run(input, context) {
            if (input.password === undefined && input.password_hash === undefined)
              throw badField('password', 'missing password');
            return change(store, input, context, false);
          },
        }),
      },
    },
    {
      pattern: 'users/:username/policies',
      help: 'Sets the policies of a user.',
      exists,
      operations: {
        write: operation(policyFields, {
          summary: 'Change the policies of a user',
          run: (input, context) => change(store, input, context, false),
        }),
      },
    },
  ];
};

const userRow = (store: Store): Row => ({
  pattern: 'users/:username',
  help: 'Manages a user, with the limits of the tokens of the user.',
  operations: {
    read: operation(
      { username },
      {
        summary: 'Read a user',
        async run(input, context) {
          const user = await findUser(store, keyOf(input.username, context));
          return user && { data: shownTokenSettings(user.settings, formerNames) };
        },
      },
    ),
    write: operation(userFields, {
      summary: 'Create or update a user',
      run: (input, context) => change(store, input, context, true),
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
});

/** Updates some settings of a user. `create` is true to create a user who does not exist. */
async function change(store: Store, input: Given, context: RequestContext, create: boolean): Promise<Reply> {
  const hash = await hashIn(input);
  await changeUser(store, keyOf(input.username, context), (before) => {
    if (before.password === undefined && !create)
      throw badRequest(`username ${JSON.stringify(input.username)} does not exist`);
    const password = hash ?? before.password;
    if (password === undefined) throw badField('password', 'missing password');
    return { password, settings: tokenSettingsAfter(before.settings, input) };
  });
  const warnings = tokenSettingsWarnings(input, context.mount);
  return warnings.length === 0 ? undefined : { warnings };
}

interface Given extends TokenInput, FormerInput {
  readonly username: string;
  readonly password?: string | undefined;
  readonly password_hash?: string | undefined;
}

async function hashIn({ password, password_hash: hash }: Given): Promise<Secret | undefined> {
  if (hash === undefined) return password === undefined ? undefined : hashOf(password);
  if (password !== undefined)
    throw badField(['password', 'password_hash'], 'password and password_hash are mutually exclusive');
  return givenHash(hash);
}
