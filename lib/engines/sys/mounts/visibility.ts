import { AppError } from '../../../core/errors.ts';
import type { Mount, RequestContext, Verb } from '../../../path/row.ts';
import type { EngineDefinition } from '../../contract.ts';
import { engineOf } from '../../list.ts';

const verbs: readonly Verb[] = ['read', 'list', 'write', 'patch', 'delete'];

/** Whether the caller may do anything with a path below a mount. Asked only of mounts that are there. */
export async function mayUse(
  engines: readonly EngineDefinition[],
  mount: Mount,
  below: string,
  context: RequestContext,
): Promise<boolean> {
  if (context.caller === undefined) return false;
  if (context.caller.root) return true;
  for (const path of pathsOf(engines, mount, below)) {
    for (const verb of verbs) if (await isAllowed(verb, path, context)) return true;
  }
  return false;
}

/** The path itself and, as a user means the secret, where the engine has it. */
function pathsOf(engines: readonly EngineDefinition[], mount: Mount, below: string): readonly string[] {
  const folders = engineOf(engines, mount)?.secretFolders ?? [];
  const asked = ['', ...folders].map((folder) => mount.path + folder + below);
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
