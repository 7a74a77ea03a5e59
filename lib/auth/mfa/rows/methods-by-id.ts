import { badField, notFound } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Input, pathText, text } from '#path/fields.ts';
import { nameRule } from '#path/tree.ts';
import type { Store } from '#store/store.ts';
import { settingFields, settingsOf } from '../methods/settings.ts';
import {
  createMethod,
  findMethod,
  findMethodAt,
  listMethods,
  type Method,
  removeMethod,
  updateMethod,
} from '../methods/store.ts';
import { listedMethods, shownMethod } from '../methods/view.ts';
import { destroySecret, enrol, noMethod } from '../secrets/enrol.ts';
import { bounded, entityOf } from './methods-by-name.ts';

const id = { method_id: pathText('UUID of the method') };
const given = { method_id: text(512).default('').meta({ description: 'UUID of the method' }) };
const ofEntity = { ...given, entity_id: text(512).default('').meta({ description: 'Id of the entity' }) };
const writeFields = {
  ...settingFields,
  method_name: text(512).default('').meta({ description: 'Name of the method; default: none, or the present one' }),
};

/** `identity/mfa/method/`: the same methods by their ids. */
export const methodByIdRows = (store: Store): readonly Row[] => [
  anyRow(store),
  {
    pattern: 'mfa/method',
    help: 'Lists the MFA methods.',
    operations: { list: listing(store) },
  },
  {
    pattern: 'mfa/method/totp',
    help: 'Lists or creates TOTP methods.',
    operations: { list: listing(store), write: creation(store) },
  },
  methodRow(store),
  {
    pattern: 'mfa/method/totp/generate',
    help: 'Generates the secret of the caller for a method unless it exists.',
    operations: {
      write: operation(given, {
        summary: 'Generate your secret for a TOTP method',
        run: async (input, context) => {
          const entityId = entityOf(context);
          return enrol(store, context.namespace.id, await named(store, input.method_id, context), entityId);
        },
      }),
    },
  },
  {
    pattern: 'mfa/method/totp/admin-generate',
    help: 'Generates the secret of an entity for a method unless it exists.',
    operations: {
      write: operation(ofEntity, {
        summary: 'Generate the secret of an entity',
        run: async (input, context) =>
          enrol(store, context.namespace.id, await named(store, input.method_id, context), input.entity_id),
      }),
    },
  },
  {
    pattern: 'mfa/method/totp/admin-destroy',
    help: 'Deletes the secret of an entity for a method.',
    operations: {
      write: operation(ofEntity, {
        summary: 'Delete the secret of an entity',
        knownFieldsOnly: true,
        async run(input, context) {
          const method = await named(store, input.method_id, context);
          await destroySecret(store, context.namespace.id, method, input.entity_id);
          return undefined;
        },
      }),
    },
  },
];

const listing = (store: Store) =>
  operation(
    {},
    {
      summary: 'List the ids of MFA methods',
      run: async (_input, { namespace }) => listedMethods(await listMethods(store, namespace.id), namespace),
    },
  );

const creation = (store: Store) =>
  operation(writeFields, {
    summary: 'Create a TOTP method',
    async run(input, { namespace }) {
      const method_id = await createMethod(store, namespace.id, methodNameOf(input), settingsOf(input));
      return { data: { method_id } };
    },
  });

const anyRow = (store: Store): Row => ({
  pattern: 'mfa/method/:method_id',
  help: 'Shows an MFA method of any type.',
  operations: { read: reading(store) },
});

const methodRow = (store: Store): Row => ({
  pattern: 'mfa/method/totp/:method_id',
  help: 'Manages a TOTP method. A change applies to secrets that are generated later.',
  operations: {
    read: reading(store),
    write: operation(
      { ...id, ...writeFields },
      {
        summary: 'Replace the settings of a TOTP method',
        async run(input, { namespace }) {
          const method = { id: input.method_id, name: methodNameOf(input), settings: settingsOf(input) };
          if (!(await updateMethod(store, namespace.id, method))) throw noMethod(input.method_id, ['method_id']);
          return undefined;
        },
      },
    ),
    delete: operation(id, {
      summary: 'Delete a TOTP method with its secrets',
      async run(input, { namespace }) {
        await removeMethod(store, namespace.id, { id: input.method_id });
        return undefined;
      },
    }),
  },
});

const reading = (store: Store) =>
  operation(id, {
    summary: 'Read an MFA method',
    async run(input, { namespace }): Promise<Reply> {
      const method = await findMethod(store, namespace.id, { id: input.method_id });
      if (method === undefined) throw notFound();
      return { data: shownMethod(method, namespace) };
    },
  });

/** The method with an id. @throws AppError `bad-request` when it does not exist */
async function named(store: Store, methodId: string, { namespace }: RequestContext): Promise<Method> {
  const method = await findMethodAt(store, namespace, methodId);
  if (method === undefined) throw noMethod(methodId, ['method_id']);
  return method;
}

/** @throws AppError `bad-request` for a name that cannot be part of a path */
function methodNameOf({ method_name }: Pick<Input<typeof writeFields>, 'method_name'>): string {
  if (method_name !== '' && !nameRule.test(method_name))
    throw badField(
      'method_name',
      'method_name may contain letters, digits, "_", "-" and ".", and may not begin or end with "-" or "."',
    );
  return bounded('method_name', method_name);
}
