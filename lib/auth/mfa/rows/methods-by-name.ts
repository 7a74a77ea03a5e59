import { badField, badRequest, notFound } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { settingFields, settingsOf } from '../methods/settings.ts';
import { findMethod, listMethods, type Method, putMethod, removeMethod } from '../methods/store.ts';
import { shownMethod } from '../methods/view.ts';
import { destroySecret, enrol } from '../secrets/enrol.ts';

const name = { name: pathText('Name of the method') };
const ofEntity = {
  ...name,
  entity_id: text(512).default('').meta({ description: 'Id of the entity' }),
};

/** `sys/mfa/method/`: the methods by their names. */
export const methodRows = (store: Store): readonly Row[] => [
  listRow(store, 'mfa/method'),
  listRow(store, 'mfa/method/totp'),
  methodRow(store),
  generateRow(store),
  adminGenerateRow(store),
  // Clients use both paths.
  adminDestroyRow(store, 'mfa/method/totp/:name/admin-destroy'),
  adminDestroyRow(store, 'mfa/method/:name/admin-destroy'),
];

const listRow = (store: Store, pattern: string): Row => ({
  pattern,
  help: 'Lists the names of the MFA methods.',
  operations: {
    list: operation(
      {},
      {
        summary: 'List MFA methods',
        async run(_input, { namespace }) {
          const methods = await listMethods(store, namespace.id);
          return { data: { keys: methods.flatMap((method) => (method.name === '' ? [] : [method.name])) } };
        },
      },
    ),
  },
});

const methodRow = (store: Store): Row => ({
  pattern: 'mfa/method/totp/:name',
  help: 'Manages a TOTP method, which sets how secrets and codes are generated. A change applies to secrets that are generated later.',
  operations: {
    read: operation(name, {
      summary: 'Read a TOTP method',
      async run(input, context) {
        return { data: shownMethod(await found(store, input.name, context), context.namespace) };
      },
    }),
    write: operation(
      { ...name, ...settingFields },
      {
        summary: 'Create or replace a TOTP method',
        async run(input, { namespace }) {
          await putMethod(store, namespace.id, bounded('name', input.name), settingsOf(input));
          return undefined;
        },
      },
    ),
    delete: operation(name, {
      summary: 'Delete a TOTP method with its secrets',
      async run(input, { namespace }) {
        await removeMethod(store, namespace.id, { name: input.name });
        return undefined;
      },
    }),
  },
});

const generateRow = (store: Store): Row => ({
  pattern: 'mfa/method/totp/:name/generate',
  help: 'Generates the secret of the caller for the method unless it exists.',
  operations: {
    read: operation(name, {
      summary: 'Generate your secret for a TOTP method',
      async run(input, context) {
        const entityId = entityOf(context);
        return enrol(store, context.namespace.id, await found(store, input.name, context), entityId);
      },
    }),
  },
});

const adminGenerateRow = (store: Store): Row => ({
  pattern: 'mfa/method/totp/:name/admin-generate',
  help: 'Generates the secret of an entity for the method unless it exists.',
  operations: {
    write: operation(ofEntity, {
      summary: 'Generate the secret of an entity',
      run: async (input, context) =>
        enrol(store, context.namespace.id, await found(store, input.name, context), input.entity_id),
    }),
  },
});

const adminDestroyRow = (store: Store, pattern: string): Row => ({
  pattern,
  help: 'Deletes the secret of an entity for the method.',
  operations: {
    write: operation(ofEntity, {
      summary: 'Delete the secret of an entity',
      knownFieldsOnly: true,
      async run(input, context) {
        await destroySecret(store, context.namespace.id, await found(store, input.name, context), input.entity_id);
        return undefined;
      },
    }),
  },
});

/** @throws AppError `not-found` */
async function found(store: Store, methodName: string, { namespace }: RequestContext): Promise<Method> {
  const method = await findMethod(store, namespace.id, { name: methodName });
  if (method === undefined) throw notFound();
  return method;
}

/** The entity of the caller. @throws AppError `bad-request` when it has none */
export function entityOf({ caller }: RequestContext): string {
  const entityId = caller?.entityId ?? '';
  if (entityId === '') throw badRequest('the token has no entity, so it cannot have a secret');
  return entityId;
}

const nameCharactersMax = 512;

/** A name that fits into an index. @throws AppError `bad-request` */
export function bounded(field: 'name' | 'method_name', methodName: string): string {
  if (methodName.length > nameCharactersMax)
    throw badField(field, `a name may have at most ${nameCharactersMax} characters`);
  return methodName;
}
