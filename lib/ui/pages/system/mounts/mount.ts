import { isObject, textOf, type Value } from '#client/wire/json.ts';

/** A secrets engine that is mounted. */
export interface MountRow {
  /** Without the slash at its end. */
  readonly path: string;
  readonly type: string;
  readonly version: string;
  readonly description: string;
  readonly accessor: string;
  readonly settings: Value;
}

/** These exist once in each namespace. They can be neither moved nor removed. */
const fixed = new Set(['cubbyhole', 'identity', 'system']);

/** The mounts of `sys/mounts` by path. */
export function mountsIn(data: Value | undefined): readonly MountRow[] {
  return Object.entries(isObject(data) ? data : {})
    .map(([path, mount]) => ({
      path: path.replace(/\/$/, ''),
      type: textOf(mount, 'type'),
      version: textOf(mount, 'options', 'version'),
      description: textOf(mount, 'description'),
      accessor: textOf(mount, 'accessor'),
      settings: mount ?? null,
    }))
    .sort((a, b) => Number(fixed.has(a.type)) - Number(fixed.has(b.type)) || (a.path < b.path ? -1 : 1));
}

export const isFixed = ({ type }: MountRow): boolean => fixed.has(type);

/** What a mount is called: `KV 2`. */
export function kindWord({ type, version }: MountRow): string {
  if (type === 'kv') return `KV ${version || '1'}`;
  return type.slice(0, 1).toUpperCase() + type.slice(1);
}
