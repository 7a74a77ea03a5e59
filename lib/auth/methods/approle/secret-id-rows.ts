import { badField, notFound } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type Operation, operation, type Row } from '#path/contract/row.ts';
import { listNames, pageFields } from '#path/listing.ts';
import type { TokenParts } from '../../token/parts.ts';
import { newSecretIdFields, role_name, secret_id, secret_id_accessor } from './fields.ts';
import { mustFind } from './roles.ts';
import { makeSecretId, shownSecretId } from './secret-ids.ts';
import { accessors, deleteSecretId, findSecretId, hashOfSecretId } from './secret-ids-store.ts';

/** `secret-id` of a role and the rows below it, `custom-secret-id` and `secret-id-accessor`. */
export const secretIdRows = (parts: TokenParts): readonly Row[] => [
  {
    pattern: 'role/:role_name/secret-id',
    help: 'Generates secret ids of a role, and lists their accessors.',
    operations: {
      list: operation(
        { role_name, ...pageFields },
        {
          summary: 'List the accessors of secret ids',
          async run(input, context) {
            const role = await mustFind(parts, input.role_name, context);
            return listNames(input, (part) => accessors(parts.store, role, part));
          },
        },
      ),
      write: operation(newSecretIdFields, {
        summary: 'Generate a secret id',
        run: async (input, context) =>
          makeSecretId(parts, await mustFind(parts, input.role_name, context), context, input),
      }),
    },
  },
  {
    pattern: 'role/:role_name/custom-secret-id',
    help: 'Creates a secret id with a given text.',
    operations: {
      write: operation(
        { ...newSecretIdFields, secret_id },
        {
          summary: 'Create a custom secret id',
          async run(input, context) {
            if (input.secret_id === '') throw badField('secret_id', 'missing secret_id');
            const role = await mustFind(parts, input.role_name, context);
            return makeSecretId(parts, role, context, input, input.secret_id);
          },
        },
      ),
    },
  },
  ...byRows(parts, 'secret-id', { secret_id }, ({ secret_id: text }, { mount }) => {
    if (text === '') throw badField('secret_id', 'missing secret_id');
    return { hash: hashOfSecretId(parts.store, mount.id, text) };
  }),
  ...byRows(parts, 'secret-id-accessor', { secret_id_accessor }, ({ secret_id_accessor: accessor }) => {
    if (accessor === '') throw badField('secret_id_accessor', 'missing secret_id_accessor');
    return { accessor };
  }),
];

type By = Parameters<typeof findSecretId>[2];

/** `lookup` and `destroy` of a secret id, by its text or its accessor. */
function byRows<N extends 'secret_id' | 'secret_id_accessor'>(
  parts: TokenParts,
  segment: string,
  named: Readonly<Record<N, typeof secret_id>>,
  byOf: (input: Readonly<Record<N, string>>, context: RequestContext) => By,
): readonly Row[] {
  const fields = { role_name, ...named };
  type Given = { readonly role_name: string } & Readonly<Record<N, string>>;
  const destroy = (): Operation =>
    operation(fields, {
      summary: 'Destroy a secret id',
      knownFieldsOnly: true,
      async run(input, context) {
        const given = input as Given;
        const by = byOf(given, context);
        const isDeleted = await deleteSecretId(parts.store, await mustFind(parts, given.role_name, context), by);
        if (!isDeleted && 'accessor' in by) throw unknownAccessor(by.accessor);
        return undefined;
      },
    });
  return [
    {
      pattern: `role/:role_name/${segment}/lookup`,
      help: 'Shows a secret id.',
      operations: {
        write: operation(fields, {
          summary: 'Look up a secret id',
          async run(input, context) {
            const given = input as Given;
            const by = byOf(given, context);
            const found = await findSecretId(parts.store, await mustFind(parts, given.role_name, context), by);
            if (found === undefined && 'accessor' in by) throw unknownAccessor(by.accessor);
            return found && { data: shownSecretId(found) };
          },
        }),
      },
    },
    {
      pattern: `role/:role_name/${segment}/destroy`,
      help: 'Destroys a secret id.',
      operations: { write: destroy(), delete: destroy() },
    },
  ];
}

const unknownAccessor = (accessor: string) =>
  notFound([`failed to find accessor entry for secret_id_accessor: ${JSON.stringify(accessor)}`]);
