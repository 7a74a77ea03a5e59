import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';

/** The types of destinations with their forms. */
export const useTypes = () =>
  useQuery({ key: ['types'], ask: (options) => api.call(sync.describeTypes, {}, undefined, options) });

const typesPath = 'sys/sync/types';
const pathOf = (type: string): string => `sys/sync/destinations/${type}/new`;

/** Why no destination may be created; undefined where those of some type may, and until that is known. */
export function useNewRefusal(): string | undefined {
  const { reply } = useTypes();
  const types = listIn(reply?.data, 'types').map((one) => textOf(one, 'type'));
  const rights = useRights([typesPath, ...types.map(pathOf)]);
  const ofTypes = rights.refusal('read', typesPath);
  if (ofTypes !== undefined || types.length === 0) return ofTypes;
  const isSome = types.some((type) => rights.refusal('create', pathOf(type)) === undefined);
  return isSome ? undefined : 'Your policies do not grant "create" on sys/sync/destinations/ of any type.';
}
