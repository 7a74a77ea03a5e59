import { sql } from 'kysely';
import { badField, notFound } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, textList } from '#path/fields.ts';
import { canonicalType, methodTypeNames, typeName } from '#path/vocabulary.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import {
  type Enforcement,
  findEnforcement,
  type LoginMatches,
  listEnforcements,
  putEnforcement,
  removeEnforcement,
} from '../enforcements/store.ts';
import { bounded } from './methods-by-name.ts';

const name = { name: pathText('Name of the enforcement') };
const list = (description: string) => textList().default([]).meta({ description });
const fields = {
  ...name,
  mfa_method_ids: list('Ids of the methods, one of which has to be passed'),
  auth_method_accessors: list('Accessors of auth mounts'),
  auth_method_types: list('Types of auth methods'),
  identity_group_ids: list('Ids of groups'),
  identity_entity_ids: list('Ids of entities'),
};

/** `identity/mfa/login-enforcement/`: the logins that need a code. */
export const enforcementRows = (store: Store): readonly Row[] => [
  {
    pattern: 'mfa/login-enforcement',
    help: 'Lists the login enforcements.',
    operations: {
      list: operation(
        {},
        {
          summary: 'List login enforcements',
          async run(_input, { namespace }): Promise<Reply> {
            const found = await listEnforcements(store, namespace.id);
            const key_info = Object.fromEntries(found.map((one) => [one.name, shown(one, namespace)]));
            return { data: { keys: found.map((one) => one.name), key_info } };
          },
        },
      ),
    },
  },
  enforcementRow(store),
];

const enforcementRow = (store: Store): Row => ({
  pattern: 'mfa/login-enforcement/:name',
  help: 'Requires a code of one of its methods for logins of the given mounts, auth method types, groups or entities.',
  operations: {
    read: operation(name, {
      summary: 'Read a login enforcement',
      async run(input, { namespace }) {
        const found = await findEnforcement(store, namespace.id, input.name);
        if (found === undefined) throw notFound();
        return { data: shown(found, namespace) };
      },
    }),
    write: operation(fields, {
      summary: 'Create or replace a login enforcement',
      async run({ name: given, mfa_method_ids, ...matches }, { namespace }) {
        if (mfa_method_ids.length === 0) throw badField('mfa_method_ids', 'missing method ids');
        mustNameLogins(matches);
        await mustExist(store, namespace.id, matches);
        const enforcement = { name: bounded('name', given), methodIds: mfa_method_ids, matches };
        await putEnforcement(store, namespace, enforcement);
        return undefined;
      },
    }),
    delete: operation(name, {
      summary: 'Delete a login enforcement',
      async run(input, { namespace }) {
        await removeEnforcement(store, namespace.id, input.name);
        return undefined;
      },
    }),
  },
});

const shown = ({ id, name, matches, methods }: Enforcement, namespace: RequestContext['namespace']): object => ({
  id,
  name,
  ...matches,
  mfa_method_ids: methods.map((method) => method.id),
  namespace_id: namespace.id,
  namespace_path: namespace.path,
});

const entriesMax = 1_000;

function mustNameLogins(matches: LoginMatches): void {
  const lists = Object.entries(matches);
  if (lists.every(([, entries]) => entries.length === 0))
    throw badField(
      lists.map(([field]) => field),
      `One of ${lists.map(([field]) => field).join(', ')} must be specified`,
    );
  const long = lists.find(([, entries]) => entries.length > entriesMax);
  if (long !== undefined) throw badField(long[0], `${long[0]} may have at most ${entriesMax} entries`);
}

const existing = { 'auth method accessor': bool, 'auth method type': bool, 'group id': bool, 'entity id': bool };
const fieldsOfThings = new Map<string, keyof LoginMatches>([
  ['auth method accessor', 'auth_method_accessors'],
  ['auth method type', 'auth_method_types'],
  ['group id', 'identity_group_ids'],
  ['entity id', 'identity_entity_ids'],
]);

/** An unknown name would silently enforce nothing. @throws AppError `bad-request` */
async function mustExist({ db }: Store, namespaceId: string, matches: LoginMatches): Promise<void> {
  const types = matches.auth_method_types.map((type) => canonicalType(methodTypeNames, type));
  const authMount = sql`namespace_id = ${namespaceId} and path like 'auth/%'`;
  const { rows } = await rowsOf(existing)`
    select not exists (select 1 from unnest(${matches.auth_method_accessors}::text[]) a
              where not exists (select 1 from mounts where accessor = a and ${authMount})) as "auth method accessor",
           not exists (select 1 from unnest(${types}::text[], ${types.map(aliasOf)}::text[]) t (name, alias)
              where not exists (select 1 from mounts where type in (t.name, t.alias) and ${authMount}))
             as "auth method type",
           not exists (select 1 from unnest(${matches.identity_group_ids}::text[]) g where not exists (
              select 1 from identity_groups where id = g and namespace_id = ${namespaceId})) as "group id",
           not exists (select 1 from unnest(${matches.identity_entity_ids}::text[]) e where not exists (
              select 1 from entities where id = e and namespace_id = ${namespaceId})) as "entity id"`.execute(db);
  const [missing] = Object.entries(rows[0] ?? {}).find(([, exists]) => !exists) ?? [];
  if (missing !== undefined)
    throw badField(fieldsOfThings.get(missing) ?? [], `one of the provided ${missing}s doesn't exist`);
}

const aliasOf = (type: string): string => typeName(methodTypeNames, type, 'alias');
