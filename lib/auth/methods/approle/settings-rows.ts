import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { shownCidr } from '../../cidr.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import type { TokenParts } from '../../token/parts.ts';
import { role_name, secretIdFields } from './fields.ts';
import { newRoleSettings, type RoleInput, type RoleSettings } from './role.ts';
import { keyOf, writeRole } from './roles.ts';
import { findRole } from './roles-store.ts';

type Name = keyof RoleSettings & keyof RoleInput;

/** Paths below a role for one setting each, with the old name of the setting. */
const paths: readonly (readonly [string, Name, (keyof RoleInput)?])[] = [
  ['policies', 'token_policies', 'policies'],
  ['bound-cidr-list', 'secret_id_bound_cidrs', 'bound_cidr_list'],
  ['secret-id-bound-cidrs', 'secret_id_bound_cidrs'],
  ['token-bound-cidrs', 'token_bound_cidrs'],
  ['bind-secret-id', 'bind_secret_id'],
  ['secret-id-num-uses', 'secret_id_num_uses'],
  ['secret-id-ttl', 'secret_id_ttl'],
  ['local-secret-ids', 'local_secret_ids'],
  ['period', 'token_period', 'period'],
  ['token-num-uses', 'token_num_uses'],
  ['token-ttl', 'token_ttl'],
  ['token-max-ttl', 'token_max_ttl'],
];

/** `role/:role_name/<setting>`: one setting of a role. */
export const settingRows = (parts: TokenParts): readonly Row[] =>
  paths.map(([path, name, former]) => ({
    pattern: `role/:role_name/${path}`,
    help: `Manages the setting ${name} of a role.`,
    exists: async ({ role_name: role }, context) =>
      (await findRole(parts.store.db, keyOf(String(role), context))) !== undefined,
    operations: {
      read: operation(
        { role_name },
        {
          summary: `Read ${name}`,
          async run(input, context) {
            const role = await findRole(parts.store.db, keyOf(input.role_name, context));
            if (role === undefined) return undefined;
            const value = name === 'token_bound_cidrs' ? role.settings[name].map(shownCidr) : role.settings[name];
            return { data: { [name]: value, ...(former === undefined ? {} : { [former]: value }) } };
          },
        },
      ),
      ...(name === 'local_secret_ids' ? {} : changes(parts, name, former)),
    },
  }));

const everyField = { ...secretIdFields, ...tokenFields, ...formerTokenFields('policies', 'period') };

function changes(parts: TokenParts, name: Name, former: keyof RoleInput | undefined): Row['operations'] {
  const names = [name, former].filter((one) => one !== undefined);
  const fields = Object.fromEntries(names.map((one) => [one, everyField[one as keyof typeof everyField]] as const));
  return {
    write: operation(
      { role_name, ...fields },
      {
        summary: `Set ${name}`,
        run(input, context) {
          const given: Readonly<Record<string, unknown>> = input;
          if (names.every((one) => given[one] === undefined)) throw badField(names, `missing ${names.join(' or ')}`);
          return writeRole(parts, input, context, false);
        },
      },
    ),
    delete: operation(
      { role_name },
      {
        summary: `Reset ${name} to its default`,
        run: (input, context) => writeRole(parts, { ...input, [name]: newRoleSettings[name] }, context, false),
      },
    ),
  };
}
