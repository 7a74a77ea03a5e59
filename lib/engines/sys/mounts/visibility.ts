import { AppError } from '../../../core/errors.ts';
import type { Mount, RequestContext, Verb } from '../../../path/row.ts';

const verbs: readonly Verb[] = ['read', 'list', 'write', 'patch', 'delete'];
/** Where the secrets of a kv mount of version 2 are. */
const folders = ['data/', 'metadata/'];

/** Whether the caller may do anything with a path below a mount. Asked only of mounts that are there. */
export async function mayUse(mount: Mount, below: string, context: RequestContext): Promise<boolean> {
  if (context.caller === undefined) return false;
  if (context.caller.root) return true;
  for (const path of pathsOf(mount, below)) {
    for (const verb of verbs) if (await isAllowed(verb, path, context)) return true;
  }
  return false;
}

/** The path itself and, as a user means the secret, where an engine with versions has it. */
function pathsOf({ path, options }: Mount, below: string): readonly string[] {
  const inside = options?.['version'] === '2' ? folders.map((folder) => path + folder + below) : [];
  const asked = [path + below, ...inside];
  return asked.flatMap((one) => (one.endsWith('/') ? [one] : [one, `${one}/`]));
}

async function isAllowed(verb: Verb, path: string, context: RequestContext): Promise<boolean> {
  try {
    await context.mustBeAllowed(verb, path);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'permission-denied') return false;
    throw error;
  }
}
