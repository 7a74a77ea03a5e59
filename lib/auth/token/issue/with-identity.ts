import type { AuthReply } from '../../../path/contract/reply.ts';
import { type Grants, namesBeside, namesIn } from '../../identity/facts/grants.ts';
import { policySet } from './policies.ts';

/** What a token may do at the moment: `policies` has those that its entity brings too. `namespaceId` is the token's. */
export function withIdentity(auth: AuthReply, grants: Grants, namespaceId: string): AuthReply {
  const names = namesIn(grants, namespaceId);
  const external = namesBeside(grants, namespaceId);
  return {
    ...auth,
    ...(names.length === 0 ? {} : { policies: policySet([...auth.policies, ...names]), identity_policies: names }),
    ...(Object.keys(external).length === 0 ? {} : { external_namespace_policies: external }),
  };
}
