import { system } from '#client/operations/system.ts';
import { api, namespace } from '#ui/state/api.ts';
import { grantsBelow } from '#ui/state/grants.ts';
import { useRights } from '#ui/state/rights.ts';
import { gate, homeOf } from '#ui/state/session.ts';
import { useQuery } from '#ui/state/use-query.ts';

const types = 'sys/sync/types';

/** Why the caller may create no destination of any type. */
export function useNewRefusal(): string | undefined {
  const rights = useRights([types]);
  const below = useRefusalBelow('create', 'sys/sync/destinations/');
  return rights.refusal('read', types) ?? below;
}

/** Why the caller may do this nowhere below a path; undefined where it may somewhere, and where that is not known. */
function useRefusalBelow(capability: string, path: string): string | undefined {
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
