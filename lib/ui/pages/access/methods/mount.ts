import { isObject, textOf, type Value } from '#client/wire/json.ts';

/** An auth method at its path, which has no slash at its end. */
export interface AuthMount {
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
}

/** The mounts in a reply of `sys/auth`. */
export function authMountsOf(data: Value | undefined): readonly AuthMount[] {
  return Object.entries(isObject(data) ? data : {})
    .filter(([path]) => path.endsWith('/'))
    .map(([path, mount]) => ({
      path: path.replace(/\/+$/, ''),
      type: textOf(mount, 'type'),
      description: textOf(mount, 'description'),
      accessor: textOf(mount, 'accessor'),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
