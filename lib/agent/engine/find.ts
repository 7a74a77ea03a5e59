import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, programOnPath, runnable } from '../run/apart/programs.ts';
import { newestMatching } from './versions.ts';

/** A program that plans and applies. */
export interface Engine {
  readonly program: string;
  readonly version: string;
}

/** What makes two engines the same one, on whatever machine. */
export interface EngineKind {
  readonly name: string;
  readonly version: string;
}

export const kindOf = ({ program, version }: Engine): EngineKind => ({ name: basename(program), version });

const names = ['terraform', 'tofu'] as const;
const versionMs = 20_000;

/**
 * The engines of this machine: `<folder>/<version>/terraform` (or `tofu`) for each version in a folder, and those on the path. Nothing is
 * downloaded.
 */
export async function findEngines(folder: string | undefined, environment: Environment): Promise<readonly Engine[]> {
  const inFolder = folder === undefined ? [] : await programsIn(folder);
  const onPath = await Promise.all(names.map((name) => programOnPath(name, environment)));
  const programs = [...inFolder, ...onPath.filter((one) => one !== undefined)];
  const engines = await Promise.all(programs.map(engineOf));
  return engines.filter((one) => one !== undefined);
}

/**
 * The engine for a workspace: the newest that matches among those with the preferred name, or else among the others. @throws Error that names the
 * versions that are there
 */
export function engineFor(
  wanted: string,
  engines: readonly Engine[],
  preferred: (typeof names)[number] = 'terraform',
): Engine {
  const isPreferred = (one: Engine) => kindOf(one).name === preferred;
  const engine =
    newestOf(wanted, engines.filter(isPreferred)) ??
    newestOf(
      wanted,
      engines.filter((one) => !isPreferred(one)),
    );
  if (engine !== undefined) return engine;
  const known = [...new Set(engines.map((one) => one.version))].join(', ');
  throw new Error(`The workspace needs the engine ${wanted}. This agent has ${known === '' ? 'none' : known}.`);
}

function newestOf(wanted: string, engines: readonly Engine[]): Engine | undefined {
  const version = newestMatching(
    wanted,
    engines.map((one) => one.version),
  );
  return engines.find((one) => one.version === version);
}

/** The engine that made a plan: another one may read it otherwise. @throws Error with the engines that are there */
export function engineOfPlan({ name, version }: EngineKind, engines: readonly Engine[]): Engine {
  const engine = engines.find((one) => one.version === version && kindOf(one).name === name);
  if (engine !== undefined) return engine;
  const known = engines.map((one) => `${kindOf(one).name} ${one.version}`).join(', ');
  throw new Error(
    `The plan was made with ${name} ${version}. This agent has ${known}. Nothing was applied: give all agents of the pool the same engines, and start a new run.`,
  );
}

async function programsIn(folder: string): Promise<readonly string[]> {
  const versions = await readdir(folder);
  const programs = await Promise.all(
    versions.flatMap((version) => names.map((name) => runnable(join(folder, version, name)))),
  );
  return programs.filter((one) => one !== undefined);
}

/** Undefined for a program that does not say its version. */
async function engineOf(program: string): Promise<Engine | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['version', '-json'], {
      timeout: versionMs,
      env: { PATH: '/usr/bin:/bin', CHECKPOINT_DISABLE: '1' },
    });
    const version: unknown = JSON.parse(stdout)['terraform_version'];
    return typeof version === 'string' ? { program, version } : undefined;
  } catch {
    return undefined;
  }
}
