import { Secret } from '../../../core/secret.ts';
import { operation, type Reply, type Row } from '../../../path/row.ts';
import { tokenFinder } from '../find.ts';
import { renewToken } from '../renew.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  incrementField,
  mustBeGiven,
  mustBeKnown,
  type RowParts,
  tokenField,
  tokenInPath,
} from './given.ts';

/** `renew`, `renew-self`, `renew-accessor`. */
export function renewRows(parts: RowParts): readonly Row[] {
  const findOwn = tokenFinder(parts.store, -1);
  const renew = async (find: RowParts['find'], token: Secret, increment: number): Promise<Reply> =>
    renewToken(parts, await find(token), { id: token.reveal(), increment });
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
            run: ({ token, increment }) => renew(parts.find, mustBeGiven(token), increment),
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
            run: ({ token, increment }) => renew(parts.find, new Secret(token), increment),
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
            run: ({ increment }, context) => renew(findOwn, callerOf(context).token, increment),
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
            run: async ({ accessor, increment }) =>
              renewToken(parts, mustBeKnown(await byAccessor(parts, accessor)), { id: '', increment }),
          },
        ),
      },
    },
  ];
}
