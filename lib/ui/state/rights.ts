import { system } from '#client/operations/system.ts';
import { textsOf } from '#client/wire/json.ts';
import { api } from './api.ts';
import { useQuery } from './use-query.ts';

/** What the caller may do on paths. */
export interface Rights {
  /** Why it may not; undefined where it may, and until the answer is there. */
  refusal(capability: string, path: string): string | undefined;
  may(capability: string, path: string): boolean;
  readonly isLoading: boolean;
}

const never = 'rights';

/**
 * Asks once for several paths: what may not be done is not offered.
 * @param within the namespace of the paths, if it is not that of the page
 */
export function useRights(paths: readonly string[], within?: string): Rights {
  const { reply, failure } = useQuery({
    key: [never, ...(within === undefined ? [] : [{ within }]), ...paths],
    ask: (options) =>
      api.call(system.capabilities, {}, { paths }, within === undefined ? options : { ...options, namespace: within }),
  });
  const refusal = (capability: string, path: string) => {
    if (reply === undefined) return undefined;
    const held = textsOf(reply.data, path);
    if (held.includes('root') || held.includes(capability)) return undefined;
    return `Your policies do not grant "${capability}" on ${path}.`;
  };
  return {
    refusal,
    may: (capability, path) => reply !== undefined && refusal(capability, path) === undefined,
    isLoading: reply === undefined && failure === undefined,
  };
}
