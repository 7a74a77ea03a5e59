import { badRequest } from '../../core/errors.ts';
import { effectiveLeases } from '../../path/lease-times.ts';
import { operation, type Reply, type RequestContext } from '../../path/row.ts';
import type { Identity, LoginOperation } from '../methods/contract.ts';
import { issueToken } from './issue.ts';
import type { TokenParts } from './parts.ts';
import { policySet } from './policies.ts';

/** Logins of all methods: a handler says who it is, and gets a token for him. */
export const loginOperations =
  (parts: TokenParts): LoginOperation =>
  (fields, { summary, who }) =>
    operation(fields, {
      summary,
      unauthenticated: true,
      run: async (input, context) => answer(parts, await who(input, context), context),
    });

/** @throws AppError `bad-request` when the method wants a root token */
async function answer(parts: TokenParts, identity: Identity, context: RequestContext): Promise<Reply> {
  const { mount, path } = context;
  if (policySet(identity.policies).includes('root')) throw badRequest('auth methods cannot create root tokens');
  const named = { ...identity, displayName: `${nameOf(mount.path)}-${identity.displayName}` };
  return issueToken(parts, named, {
    namespace: context.namespace,
    path: `${mount.path}${path}`,
    parent: undefined,
    orphan: true,
    leases: effectiveLeases(mount.config),
  });
}

/** `auth/team/people/` is `team-people`. */
const nameOf = (mountPath: string): string => mountPath.replace(/^auth\/|\/$/g, '').replaceAll('/', '-');
