import { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  incrementField,
  mustBeGiven,
  mustBeKnown,
  ownRow,
  type RowParts,
  tokenField,
  tokenInPath,
  visibleFrom,
} from './given.ts';
import { renewToken } from './renewal.ts';

/** `renew`, `renew-self`, `renew-accessor`. */
export function renewRows(parts: RowParts): readonly Row[] {
  const renew = async (token: Secret, increment: number, { namespace }: RequestContext): Promise<Reply> =>
    renewToken(parts, await visibleFrom(parts, namespace, await parts.find(token)), {
      id: token.reveal(),
      increment,
      named: ['token'],
    });
  const renewOwn = async (increment: number, context: RequestContext): Promise<Reply> => {
    return renewToken(parts, ownRow(context), { id: callerOf(context).token.reveal(), increment, named: [] });
  };
  const help = 'Renews a token within the limits of its type and of the mount.';
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
            summary: 'Renew a token named in the path',
            run: ({ token, increment }, context) => renew(new Secret(token), increment, context),
          },
        ),
      },
    },
    {
      pattern: 'renew-self',
      help: 'Renews the token of the caller.',
      operations: {
        write: operation(
          { increment: incrementField },
          {
            summary: 'Renew your token',
            atOwnNamespace: true,
            ignores: ['token'],
            run: ({ increment }, context) => renewOwn(increment, context),
          },
        ),
      },
    },
    {
      pattern: 'renew-accessor',
      help: 'Renews the token with an accessor.',
      operations: {
        write: operation(
          { accessor: accessorField, increment: incrementField },
          {
            summary: 'Renew a token by its accessor',
            run: ({ accessor, increment }, context) => renewNamed(parts, accessor, increment, context),
          },
        ),
      },
    },
  ];
}

async function renewNamed(
  parts: RowParts,
  accessor: string,
  increment: number,
  context: RequestContext,
): Promise<Reply> {
  const row = mustBeKnown(await byAccessor(parts, accessor, context));
  return renewToken(parts, row, { id: '', increment, named: ['accessor'] });
}
