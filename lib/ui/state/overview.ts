import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { api } from './api.ts';
import { type Asked, pollMs, useQuery } from './use-query.ts';

/** The overview. All that show something of it share one answer. */
export const useOverview = ({ isPolled }: { readonly isPolled: boolean } = { isPolled: true }): Asked =>
  useQuery({
    key: ['overview'],
    ask: (options) => api.call(sync.overview, {}, undefined, options),
    everyMs: isPolled ? pollMs : undefined,
  });

/** The names of all destinations, such as `cloud-a-sm/prod`. */
export function useDestinationNames(): readonly string[] {
  const list = memberOf(useOverview({ isPolled: false }).reply?.data, 'destinations');
  return Array.isArray(list) ? list.map((one) => `${textOf(one, 'type')}/${textOf(one, 'name')}`) : [];
}
