import { permissionDenied } from '../../core/errors.ts';
import { type Caller, operation, type Reply, type RequestContext } from '../../path/row.ts';
import type { AuthMethod } from '../methods/contract.ts';
import { createFields, createToken } from './create.ts';
import type { TokenParts } from './parts.ts';
import { findTokens, hashToken, revokeTree, type TokenRow } from './store.ts';

/** The method at `auth/token/`. */
export const tokenMethod: AuthMethod = {
  type: 'token',
  open: (parts) => ({
    always: { path: 'auth/token/', description: 'token based credentials' },
    rows: [
      {
        pattern: 'create',
        help: 'Creates a token.',
        operations: {
          write: operation(createFields, {
            summary: 'Create a token',
            run: (input, context) => createToken(parts, input, callerOf(context)),
          }),
        },
      },
      {
        pattern: 'lookup-self',
        help: 'Shows the token of the caller.',
        // Older clients send a POST.
        operations: { read: lookupSelf(parts), write: lookupSelf(parts) },
      },
      {
        pattern: 'revoke-self',
        help: 'Revokes the token of the caller with all its children.',
        operations: {
          write: operation(
            {},
            {
              summary: 'Revoke the own token',
              async run(_input, context) {
                await revokeTree(parts.store, hashToken(parts.store.barrier, callerOf(context).token));
                return undefined;
              },
            },
          ),
        },
      },
    ],
  }),
};

const lookupSelf = (parts: TokenParts) =>
  operation({}, { summary: 'Look up the own token', run: (_input, context) => lookup(parts, callerOf(context)) });

async function lookup(parts: TokenParts, caller: Caller): Promise<Reply> {
  // The caller has been let in: this look-up may be the last use of its token.
  const [row] = await findTokens(parts.store, [hashToken(parts.store.barrier, caller.token)], -1);
  if (row === undefined) throw permissionDenied();
  return { data: tokenView(row, caller.token.reveal(), parts.clock.now()) };
}

/** A token as look-ups show it. */
function tokenView(row: TokenRow, id: string, now: Date): object {
  const leased =
    row.expire_at === null ? {} : { renewable: row.renewable, issue_time: row.creation_time.toISOString() };
  return {
    id,
    accessor: row.accessor,
    policies: row.policies,
    path: row.path,
    meta: row.meta,
    display_name: row.display_name,
    num_uses: row.num_uses,
    orphan: row.orphan,
    creation_time: Math.floor(row.creation_time.getTime() / 1_000),
    creation_ttl: row.creation_ttl,
    expire_time: row.expire_at?.toISOString() ?? null,
    ttl: row.expire_at === null ? 0 : Math.max(0, Math.floor((row.expire_at.getTime() - now.getTime()) / 1_000)),
    explicit_max_ttl: row.explicit_max_ttl,
    entity_id: row.entity_id,
    type: row.type,
    ...(row.period > 0 ? { period: row.period } : {}),
    ...leased,
  };
}

function callerOf(context: RequestContext): Caller {
  if (context.caller === undefined) throw permissionDenied();
  return context.caller;
}
