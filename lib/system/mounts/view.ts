import { effectiveLeases, type Mount, type MountConfig } from '#path/contract/mount.ts';
import { isAuthPath } from './kind/path.ts';

/** A mount as the API family shows it. All types are built in, so the plugin members are empty. */
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

/** The same with the effective lease times instead of the configured ones. */
export const showEffective = (mount: Mount) => ({
  ...showMount(mount),
  config: { ...shownConfig(mount), ...effectiveLeases(mount.config) },
});

/** A mount's settings, with defaults for unset ones. */
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
