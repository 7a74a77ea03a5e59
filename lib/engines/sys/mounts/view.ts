import { effectiveLeases } from '../../../path/lease-times.ts';
import type { Mount } from '../../../path/row.ts';

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
    config: mount.config,
    plugin_version: '',
    running_plugin_version: '',
    running_sha256: '',
    deprecation_status: 'supported',
  };
}

/** The same with the lease times that hold, not those that are set. */
export const showEffective = (mount: Mount) => ({
  ...showMount(mount),
  config: { ...mount.config, ...effectiveLeases(mount.config) },
});

/** A mount's settings, with what holds where it says nothing. */
export function showTuning({ config, description, options }: Mount) {
  return {
    ...config,
    ...effectiveLeases(config),
    description,
    ...(options === null || Object.keys(options).length === 0 ? {} : { options }),
  };
}
