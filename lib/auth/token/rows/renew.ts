import { Secret } from '../../../core/secret.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  incrementField,
  mustBeGiven,
  mustBeKnown,
  ownRow,
  type RowParts,
  seenFrom,
  tokenField,
  tokenInPath,
} from './given.ts';
import { renewToken } from './renewal.ts';

/** `renew`, `renew-self`, `renew-accessor`. */
export function renewRows(parts: RowParts): readonly Row[] {
  const renew = async (token: Secret, increment: number, { namespace }: RequestContext): Promise<Reply> =>
    renewToken(parts, await seenFrom(parts, namespace, await parts.find(token)), { id: token.reveal(), increment });
  const renewOwn = async (increment: number, context: RequestContext): Promise<Reply> => {
    return renewToken(parts, ownRow(context), { id: callerOf(context).token.reveal(), increment });
  };
  const help = 'Makes a token live longer, up to what its kind and the mount allow.';
  return [
    {
      pattern: 'renew',
      help,
      operations: {
        write: operation(
          { token: tokenField, increment: incrementField },
          {
            summary: 'Renew a token',
            run: ({ token, increment }, context) => renew(mustBeGiven(token), increment, context),
          },
        ),
      },
    },
    {
      pattern: 'renew/*token',
      help,
      operations: {
        write: operation(
          { token: tokenInPath, increment: incrementField },
          {
            summary: 'Renew a token that is named in the path',
            run: ({ token, increment }, context) => renew(new Secret(token), increment, context),
          },
        ),
      },
    },
    {
      pattern: 'renew-self',
      help: 'Makes the token of the caller live longer.',
      operations: {
        write: operation(
          { increment: incrementField },
          {
            summary: 'Renew the own token',
            atOwnNamespace: true,
            ignores: ['token'],
            run: ({ increment }, context) => renewOwn(increment, context),
          },
        ),
      },
    },
    {
      pattern: 'renew-accessor',
      help: 'Makes the token of an accessor live longer.',
      operations: {
        write: operation(
          { accessor: accessorField, increment: incrementField },
          {
            summary: 'Renew a token by its accessor',
            run: async ({ accessor, increment }, context) =>
              renewToken(parts, mustBeKnown(await byAccessor(parts, accessor, context)), { id: '', increment }),
          },
        ),
      },
    },
  ];
}
