import type { Mount, MountTable } from '../../path/row.ts';
import type { Match } from '../../path/table.ts';
import { type CompiledEngine, type Engines, systemMount } from './engines.ts';
import type { AskedHead } from './request/request.ts';

/** Where a path leads. `match` is undefined when the mount's engine has no such path. */
export interface Target {
  readonly mount: Mount;
  readonly engine: CompiledEngine;
  /** Below the mount. */
  readonly path: string;
  readonly match: Match | undefined;
}

/** `always`: the operation that was found without the mount table. Undefined: no mount holds the path. */
export async function findTarget(
  mounts: MountTable,
  engines: Engines,
  asked: AskedHead,
  always: Match | undefined,
): Promise<Target | undefined> {
  if (always !== undefined) return systemTarget(engines, asked, always);
  const mount = await mountOf(mounts, asked.path);
  if (mount === undefined) return undefined;
  const engine = engines.of(mount);
  const path = asked.path.slice(mount.path.length);
  return { mount, engine, path, match: engine.table.find(path, asked.verb) };
}

function systemTarget(engines: Engines, asked: AskedHead, match: Match): Target {
  const path = asked.path.slice(systemMount.path.length);
  return { mount: systemMount, engine: engines.of(systemMount), path, match };
}

/** A mount's path without its slash means the mount. */
async function mountOf(mounts: MountTable, path: string): Promise<Mount | undefined> {
  const mount = await mounts.resolve(path);
  if (mount !== undefined || path.endsWith('/')) return mount;
  return mounts.resolve(`${path}/`);
}
