import { createHash } from 'node:crypto';
import { randomHex8 } from '#core/ids.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Mount, MountConfig } from '#path/contract/mount.ts';

/** A row of the table `mounts`. */
export interface MountRow {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly accessor: string;
  readonly description: string;
  readonly options: Readonly<Record<string, string>> | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly local: boolean;
  readonly seal_wrap: boolean;
}

/** A built-in mount. */
export interface FixedMount {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

/** The accessor, which policies and external names contain. It does not change when the mount is moved. */
export const newAccessor = (path: string, type: string): string => accessorOf(path, type, randomHex8());

export function toMount(row: MountRow): Mount {
  const { id, path, type, accessor, description, options, config, local, seal_wrap } = row;
  return {
    id,
    path,
    type,
    accessor,
    uuid: id,
    description,
    options: options ?? {},
    config: toConfig(config),
    local,
    sealWrap: seal_wrap,
  };
}

/** The mounts that engines declare for a new store. */
export const alwaysMounted = (engines: readonly Engine[]): readonly FixedMount[] =>
  engines.flatMap(({ type, always }) => (always === undefined ? [] : [{ type, ...always }]));

/** Id and accessor are derived from the namespace and the path, so that they are the same in every process. */
export function fixedMount({ path, type, description }: FixedMount, namespaceId = rootNamespace.id): Mount {
  const named = namespaceId === rootNamespace.id ? path : `${namespaceId}/${path}`;
  const hash = createHash('sha256').update(named).digest('hex');
  const id = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return {
    id,
    path,
    type,
    accessor: accessorOf(path, type, hash.slice(0, 8)),
    uuid: id,
    description,
    options: null,
    config: toConfig({}),
    local: false,
    sealWrap: false,
  };
}

const accessorOf = (path: string, type: string, hex: string): string =>
  `${path.startsWith('auth/') ? 'auth_' : ''}${type}_${hex}`;

const toConfig = (config: Readonly<Record<string, unknown>>): MountConfig => {
  const { listing_visibility: visibility, ...others } = config;
  return {
    ...others,
    default_lease_ttl: secondsOf(config['default_lease_ttl']),
    max_lease_ttl: secondsOf(config['max_lease_ttl']),
    force_no_cache: config['force_no_cache'] === true,
    ...(typeof visibility === 'string' ? { listing_visibility: visibility } : {}),
  };
};

const secondsOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
