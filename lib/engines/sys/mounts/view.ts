import type { Mount, MountConfig } from '../../../path/contract/mount.ts';
import { effectiveLeases } from '../../../path/lease-times.ts';
import { isAuthPath } from './kind/path.ts';

/** A mount as the API family shows it. Ours are all built in: there is nothing to say of plugins. */
export function showMount(mount: Mount) {
  return {
    type: mount.type,
    description: mount.description,
    accessor: mount.accessor,
    uuid: mount.uuid,
    local: mount.local,
    seal_wrap: mount.sealWrap,
    external_entropy_access: false,
    options: mount.options,
    config: shownConfig(mount),
    plugin_version: '',
    running_plugin_version: '',
    running_sha256: '',
    deprecation_status: 'supported',
  };
}

/** Clients of auth methods expect a token type. */
const shownConfig = ({ path, config }: Mount): MountConfig =>
  isAuthPath(path) ? { ...config, token_type: config['token_type'] ?? 'default-service' } : config;

/** The same with the lease times that hold, not those that are set. */
export const showEffective = (mount: Mount) => ({
  ...showMount(mount),
  config: { ...shownConfig(mount), ...effectiveLeases(mount.config) },
});

/** A mount's settings, with what holds where it says nothing. */
export function showTuning(mount: Mount) {
  const { config, description, options } = mount;
  const { user_lockout_config: lockout, ...others } = shownConfig(mount);
  return {
    ...others,
    ...Object.fromEntries(Object.entries(lockout ?? {}).map(([name, value]) => [`user_${name}`, value])),
    ...effectiveLeases(config),
    description,
    ...(options === null || Object.keys(options).length === 0 ? {} : { options }),
  };
}
