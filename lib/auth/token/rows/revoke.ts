import { badRequest } from '../../../core/errors.ts';
import { isRoot } from '../../../core/namespace.ts';
import { Secret } from '../../../core/secret.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { isBatch, openBatch } from '../find/batch.ts';
import { hashToken } from '../find/store.ts';
import { revokeAlone, revokeTree } from '../revoke/revoke.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  mustBeGiven,
  type RowParts,
  seenFrom,
  tokenField,
  tokenInPath,
} from './given.ts';

/** `revoke`, `revoke-self`, `revoke-accessor`, `revoke-orphan`. */
export const revokeRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'revoke',
    help: 'Revokes a token with all its children.',
    operations: {
      write: operation(
        { token: tokenField },
        {
          summary: 'Revoke a token',
          knownFieldsOnly: true,
          run: ({ token }, context) => revoke(parts, mustBeGiven(token), context),
        },
      ),
    },
  },
  {
    pattern: 'revoke-self',
    help: 'Revokes the token of the caller with all its children.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Revoke the own token',
          atOwnNamespace: true,
          knownFieldsOnly: true,
          run: (_input, context) => revokeOwn(parts, callerOf(context).token),
        },
      ),
    },
  },
  {
    pattern: 'revoke-accessor',
    help: 'Revokes the token of an accessor with all its children.',
    operations: {
      write: operation(
        { accessor: accessorField },
        {
          summary: 'Revoke a token by its accessor',
          knownFieldsOnly: true,
          async run({ accessor }, context) {
            const row = await byAccessor(parts, accessor, context);
            if (row === undefined) return { warnings: ['No token found with this accessor'] };
            await revokeTree(parts, row.hash);
            return undefined;
          },
        },
      ),
    },
  },
  ...orphaning(parts),
];

function orphaning(parts: RowParts): readonly Row[] {
  const help = 'Revokes a token alone: its children become orphans.';
  return [
    {
      pattern: 'revoke-orphan',
      help,
      operations: {
        write: operation(
          { token: tokenField },
          {
            summary: 'Revoke a token and keep its children',
            knownFieldsOnly: true,
            sudo: true,
            run: ({ token }, context) => orphan(parts, mustBeGiven(token), context),
          },
        ),
      },
    },
    {
      pattern: 'revoke-orphan/*token',
      help,
      operations: {
        write: operation(
          { token: tokenInPath },
          {
            summary: 'Revoke a token that is named in the path, and keep its children',
            knownFieldsOnly: true,
            sudo: true,
            run: ({ token }, context) => orphan(parts, new Secret(token), context),
          },
        ),
      },
    },
  ];
}

async function revoke(parts: RowParts, token: Secret, context: RequestContext): Promise<Reply> {
  return (await isSeen(parts, token, context)) ? revokeOwn(parts, token) : undefined;
}

async function revokeOwn(parts: RowParts, token: Secret): Promise<Reply> {
  mustBeRevocable(parts, token);
  await revokeTree(parts, hashToken(parts.store.barrier, token));
  return undefined;
}

async function orphan(parts: RowParts, token: Secret, context: RequestContext): Promise<Reply> {
  mustBeRevocable(parts, token);
  const isThere = await isSeen(parts, token, context);
  if (isThere && (await revokeAlone(parts, hashToken(parts.store.barrier, token)))) return undefined;
  throw badRequest('token to revoke not found');
}

/** From the root everything is seen, what has ended and was not deleted yet too. */
const isSeen = async (parts: RowParts, token: Secret, { namespace }: RequestContext): Promise<boolean> =>
  isRoot(namespace) || (await seenFrom(parts, namespace, await parts.find(token))) !== undefined;

/** What nobody has made need not be revoked. */
function mustBeRevocable({ store }: RowParts, token: Secret): void {
  if (isBatch(token) && openBatch(store.barrier, token) !== undefined) {
    throw badRequest('batch tokens cannot be revoked');
  }
}
