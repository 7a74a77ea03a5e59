import { AppError } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import type { TokenRow } from '../find/store.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  identityPolicies,
  mustBeKnown,
  ownRow,
  type RowParts,
  tokenField,
  visibleFrom,
} from './given.ts';
import { tokenView } from './view.ts';

/** `lookup`, `lookup-self`, `lookup-accessor`. */
export function lookupRows(parts: RowParts): readonly Row[] {
  const self = operation(
    {},
    {
      summary: 'Look up your token',
      atOwnNamespace: true,
      ignores: ['token'],
      run: (_input, context) => lookUpOwn(parts, context),
    },
  );
  return [
    {
      pattern: 'lookup',
      help: 'Shows a token.',
      operations: {
        write: operation(
          { token: tokenField },
          {
            summary: 'Look up a token, or your own',
            run: ({ token }, context) =>
              token === '' ? lookUpOwn(parts, context) : lookUp(parts, new Secret(token), context),
          },
        ),
      },
    },
    {
      pattern: 'lookup-self',
      help: 'Shows the token of the caller.',
      // Older clients send a POST.
      operations: { read: self, write: self },
    },
    {
      pattern: 'lookup-accessor',
      help: 'Shows the token with an accessor, without its text.',
      operations: {
        write: operation(
          { accessor: accessorField },
          {
            summary: 'Look up a token by its accessor',
            run: async ({ accessor }, context) =>
              show(parts, mustBeKnown(await byAccessor(parts, accessor, context)), ''),
          },
        ),
      },
    },
  ];
}

async function lookUp(parts: RowParts, token: Secret, { namespace }: RequestContext): Promise<Reply> {
  const row = await visibleFrom(parts, namespace, await parts.find(token));
  if (row === undefined) throw new AppError('permission-denied', 'bad token');
  return show(parts, row, token.reveal());
}

async function lookUpOwn(parts: RowParts, context: RequestContext): Promise<Reply> {
  return show(parts, ownRow(context), callerOf(context).token.reveal());
}

async function show(parts: RowParts, row: TokenRow, id: string): Promise<Reply> {
  const namespace = await parts.namespaces.namespaceOf(row.namespace_id);
  const identity = await identityPolicies(parts, row);
  return { data: tokenView(row, { id, namespacePath: namespace?.path ?? '', identityPolicies: identity }) };
}
