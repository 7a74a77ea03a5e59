import type { Mount } from './mount.ts';
import type { Verb } from './request.ts';
import type { Row } from './row.ts';

/** A type of mount with its rows. `matches` distinguishes engines of one type, such as kv version 1 and 2. */
export interface Engine {
  readonly type: string;
  readonly matches?: (mount: Mount) => boolean;
  readonly rows: readonly Row[];
  /** The path at which every namespace has it. It cannot be unmounted, and the list of mounts shows it. */
  readonly always?: { readonly path: string; readonly description: string };
  /**
   * The name of the role that a login at a mount requests with its data; undefined when the data name no possible role. Absent
   * when logins here have no role.
   */
  readonly loginRole?: (data: Readonly<Record<string, unknown>>, mount: Mount) => Promise<string | undefined>;
  /** Text of the warning in the 404 for a path that no row of this engine matches. */
  readonly unsupportedPathWarning?: (verb: Verb) => string;
}

type Served = Pick<Mount, 'type' | 'options'>;

/** The engine of a mount; undefined when the list has none of its type, as for mounts of auth methods. */
export function engineOf<E extends { readonly type: string; readonly version?: string }>(
  engines: readonly E[],
  { type, options }: Served,
): E | undefined {
  let first: E | undefined;
  for (const engine of engines) {
    if (engine.type !== type) continue;
    if (engine.version === options?.['version']) return engine;
    first ??= engine;
  }
  return first;
}
