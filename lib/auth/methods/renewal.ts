import type { Mount } from '#path/contract/mount.ts';
import type { Store } from '#store/store.ts';
import type { TokenSettings } from '../login/role/settings.ts';
import type { RenewalLimitsOf } from '../token/renewal-limits.ts';
import type { AuthMethod } from './contract.ts';

/** Reads the present limits of the role or user of a login from the auth method of its mount. */
export const renewalLimits = (
  methods: readonly AuthMethod[],
  store: Store,
  mountAt: (path: string, namespaceId: string) => Promise<Mount | undefined>,
): RenewalLimitsOf => {
  const byType = new Map(
    methods.flatMap((method) => [method.type, ...(method.names ?? [])].map((name) => [name, method])),
  );
  return async ({ path, namespace_id: namespaceId, meta }) => {
    const mount = await mountAt(path, namespaceId);
    const settingsOf = mount && byType.get(mount.type)?.settingsOf;
    if (mount === undefined || settingsOf === undefined) return undefined;
    const settings: TokenSettings | undefined = await settingsOf(store, mount.id, meta ?? {});
    return settings === undefined ? 'gone' : { maxTtl: settings.token_max_ttl, period: settings.token_period };
  };
};
