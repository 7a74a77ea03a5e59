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

/** 32 days, in seconds: what a mount goes by that says nothing. */
const leaseSecondsDefault = 2_764_800;

/** A mount's settings, with what holds where it says nothing. */
export function showTuning({ config, description, options }: Mount) {
  return {
    ...config,
    default_lease_ttl: config.default_lease_ttl > 0 ? config.default_lease_ttl : leaseSecondsDefault,
    max_lease_ttl: config.max_lease_ttl > 0 ? config.max_lease_ttl : leaseSecondsDefault,
    description,
    ...(options === null ? {} : { options }),
  };
}
