import { system } from '#client/operations/system.ts';
import { api, namespace } from './api.ts';
import { grantsBelow } from './grants.ts';
import { gate, homeOf } from './session.ts';
import { useQuery } from './use-query.ts';

/** Why the caller may do this nowhere below a path; undefined where it may somewhere, and where that is not known. */
export function useRefusalBelow(capability: string, path: string): string | undefined {
  const home = homeOf(gate.value);
  const { reply } = useQuery({
    key: ['acl'],
    ask: (options) => api.call(system.resultantAcl, {}, undefined, { ...options, namespace: home }),
  });
  if (reply === undefined) return undefined;
  const within = namespace.value === home ? '' : `${namespace.value.slice(home === '' ? 0 : home.length + 1)}/`;
  return grantsBelow(reply.data, `${within}${path}`, capability)
    ? undefined
    : `Your policies do not grant "${capability}" on ${path}.`;
}
