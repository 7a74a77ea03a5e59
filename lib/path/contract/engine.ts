import type { Mount } from './mount.ts';
import type { Verb } from './request.ts';
import type { Row } from './row.ts';

/** What can be mounted. `matches` distinguishes engines of one type, as kv version 1 and 2. */
export interface Engine {
  readonly type: string;
  readonly matches?: (mount: Mount) => boolean;
  readonly rows: readonly Row[];
  /** Where it is mounted without anybody having mounted it, for good. The list of mounts shows it there. */
  readonly always?: { readonly path: string; readonly description: string };
  /**
   * The role, in the letters of its name, that a login at a mount asks for with its data; undefined: none that it can be. Absent:
   * nobody logs in here by a role.
   */
  readonly loginRole?: (data: Readonly<Record<string, unknown>>, mount: Mount) => Promise<string | undefined>;
  /** Text of the warning in the 404 for a path that no row of this engine has. */
  readonly unsupportedPathWarning?: (verb: Verb) => string;
}
