import type { AuthReply } from '#path/contract/reply.ts';
import { policySet } from '../../policy/names.ts';
import { type Grants, namesBeside, namesIn } from '../../policy/store/facts.ts';

/** Adds the present policies of the entity to a reply. `namespaceId` is the namespace of the token. */
export function withIdentity(auth: AuthReply, grants: Grants, namespaceId: string): AuthReply {
  const names = namesIn(grants, namespaceId);
  const external = namesBeside(grants, namespaceId);
  return {
    ...auth,
    ...(names.length === 0 ? {} : { policies: policySet([...auth.policies, ...names]), identity_policies: names }),
    ...(Object.keys(external).length === 0 ? {} : { external_namespace_policies: external }),
  };
}
