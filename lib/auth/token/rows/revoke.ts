import { badField } from '#core/errors.ts';
import { isRoot } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool } from '#path/fields.ts';
import { isBatch, openBatch } from '../find/batch.ts';
import { hashToken } from '../find/store.ts';
import { belowMax, countBelow } from '../revoke/below.ts';
import { revokeAlone, revokeTree } from '../revoke/revoke.ts';
import {
  accessorField,
  byAccessor,
  callerOf,
  mustBeGiven,
  type RowParts,
  tokenField,
  tokenInPath,
  visibleFrom,
} from './given.ts';

const planField = bool()
  .default(false)
  .meta({ description: `Revoke nothing; reply with the number of tokens below it, up to ${belowMax}` });

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
          summary: 'Revoke your token',
          atOwnNamespace: true,
          knownFieldsOnly: true,
          run: (_input, context) => revokeTreeOf(parts, callerOf(context).token, []),
        },
      ),
    },
  },
  {
    pattern: 'revoke-accessor',
    help: 'Revokes the token with an accessor and all its children.',
    operations: {
      write: operation(
        { accessor: accessorField, plan: planField },
        {
          summary: 'Revoke a token by its accessor',
          knownFieldsOnly: true,
          async run({ accessor, plan }, context) {
            const row = await byAccessor(parts, accessor, context);
            if (row === undefined) return { warnings: ['No token found with this accessor'] };
            if (plan) return { data: await countBelow(parts.store, row.hash) };
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
  const help = 'Revokes a token and turns its children into orphans.';
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
            summary: 'Revoke a token named in the path and keep its children',
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
  return (await isVisible(parts, token, context)) ? revokeTreeOf(parts, token, ['token']) : undefined;
}

/** @param named the fields of the request that name the token; none for that of the caller */
async function revokeTreeOf(parts: RowParts, token: Secret, named: readonly 'token'[]): Promise<Reply> {
  mustBeRevocable(parts, token, named);
  await revokeTree(parts, hashToken(parts.store.barrier, token));
  return undefined;
}

async function orphan(parts: RowParts, token: Secret, context: RequestContext): Promise<Reply> {
  mustBeRevocable(parts, token, ['token']);
  const exists = await isVisible(parts, token, context);
  if (exists && (await revokeAlone(parts, hashToken(parts.store.barrier, token)))) return undefined;
  throw badField('token', 'token to revoke not found');
}

/** From the root every token is visible, including those that have ended but are not deleted yet. */
const isVisible = async (parts: RowParts, token: Secret, { namespace }: RequestContext): Promise<boolean> =>
  isRoot(namespace) || (await visibleFrom(parts, namespace, await parts.find(token))) !== undefined;

/** A forged batch token is treated like any unknown token. */
function mustBeRevocable({ store }: RowParts, token: Secret, named: readonly 'token'[]): void {
  if (isBatch(token) && openBatch(store.barrier, token) !== undefined) {
    throw badField(named, 'batch tokens cannot be revoked');
  }
}
