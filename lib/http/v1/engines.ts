import { AppError } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Mount, MountTable } from '#path/contract/mount.ts';
import type { Verb } from '#path/contract/request.ts';
import { compileTable, type Match, type PathTable } from '#path/table.ts';
import type { ParsedHead } from './request/request.ts';

/** Where a path leads. `match` is undefined when the mount's engine has no such path. */
export interface Target {
  readonly mount: Mount;
  readonly engine: CompiledEngine;
  /** Below the mount. */
  readonly path: string;
  readonly match: Match | undefined;
}

/** Undefined when no mount of the namespace holds the path. */
export async function findTarget(
  mounts: MountTable,
  engines: Engines,
  asked: ParsedHead,
  namespace: Namespace,
): Promise<Target | undefined> {
  const mount = await mounts.resolve(asked.path, namespace);
  if (mount === undefined) return undefined;
  const engine = engines.of(mount);
  if (engine === undefined) return undefined;
  const path = asked.path.slice(mount.path.length);
  return { mount, engine, path, match: engine.table.find(path, asked.verb) };
}

/** The target of an operation that was found without the mount table. */
export function systemTarget(engines: Engines, asked: ParsedHead, match: Match): Target {
  const path = asked.path.slice(systemMount.path.length);
  const engine = engines.of(systemMount);
  if (engine === undefined) throw new AppError('internal', 'the system engine is missing');
  return { mount: systemMount, engine, path, match };
}

/** An engine's rows, compiled. */
export interface CompiledEngine {
  readonly table: PathTable;
  readonly unsupportedPathWarning: Engine['unsupportedPathWarning'];
  readonly loginRole: Engine['loginRole'];
}

export interface Engines {
  /** Undefined when this release no longer has the mount's type. Such a mount is ignored. */
  of(mount: Mount): CompiledEngine | undefined;
  /** An operation that works in any state. It is found without the mount table, which cannot be read while sealed. */
  whileSealed(path: string, verb: Verb): Match | undefined;
}

/** The mount of the operations that work in any state. It exists before the mount table does. */
export const systemMount: Mount = {
  id: 'sys',
  path: 'sys/',
  type: 'system',
  accessor: 'system',
  uuid: '',
  description: '',
  options: null,
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  local: false,
  sealWrap: false,
};

interface Candidate extends CompiledEngine {
  readonly matches: Engine['matches'];
}

/** Compiles all engines. Engines of one type that have no `matches` share one table. */
export function compileEngines(engines: readonly Engine[]): Engines {
  const byType = new Map<string, readonly Candidate[]>();
  for (const type of new Set(engines.map((engine) => engine.type))) {
    byType.set(type, candidates(engines.filter((engine) => engine.type === type)));
  }
  const system = byType.get(systemMount.type) ?? [];

  return {
    of(mount) {
      return byType.get(mount.type)?.find(({ matches }) => matches === undefined || matches(mount));
    },
    whileSealed(path, verb) {
      if (!path.startsWith(systemMount.path)) return undefined;
      const relative = path.slice(systemMount.path.length);
      const matches = system.map(({ table }) => table.find(relative, verb));
      return matches.find((match) => match?.operation?.marks.whileSealed === true);
    },
  };
}

function candidates(engines: readonly Engine[]): readonly Candidate[] {
  const specific = engines.filter((engine) => engine.matches !== undefined).map((engine) => compile([engine]));
  const general = engines.filter((engine) => engine.matches === undefined);
  return general.length === 0 ? specific : [...specific, compile(general)];
}

function compile(engines: readonly Engine[]): Candidate {
  return {
    matches: engines[0]?.matches,
    table: compileTable(engines.flatMap((engine) => engine.rows)),
    unsupportedPathWarning: engines.find((engine) => engine.unsupportedPathWarning)?.unsupportedPathWarning,
    loginRole: engines.find((engine) => engine.loginRole)?.loginRole,
  };
}
