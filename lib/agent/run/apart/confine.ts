import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSettings } from '../../settings.ts';
import type { Command } from '../command.ts';
import { seenFolders } from '../folder.ts';
import { openFolders } from '../limits/disk.ts';
import { type Isolation, isolationOn, type Machine, placeNames, wordsApart } from './isolation.ts';
import type { GuardedNetwork } from './network/network.ts';
import { programOnPath } from './programs.ts';
import { handed } from './shell.ts';

/** How this machine runs the commands of runs. */
export interface Confinement {
  /** The shell, by its absolute name. */
  readonly sh: string;
  /** Undefined: runs are not kept apart. */
  readonly isolation: Isolation | undefined;
}

/** The means of this machine; whether its isolation works is another question. @throws Error without a shell */
export async function confinementOf(machine: Machine): Promise<Confinement> {
  const sh = await programOnPath('sh', machine.environment);
  if (sh === undefined) throw new Error('no shell was found: the PATH of the agent has no sh');
  return { sh, isolation: await isolationOn(machine) };
}

interface Confined {
  /** The command line, which begins with the absolute name of a program. */
  readonly words: readonly string[];
  /** That of the programs before the command; it gives the command its own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The network that the command gets for itself. */
  readonly network: GuardedNetwork | undefined;
  /** Removes what was made for the command. */
  remove(): Promise<void>;
}

type Bounds = Pick<AgentSettings, 'user' | 'diskBytesMax' | 'processesMax'> & { readonly confinement: Confinement };

/** The command line that runs a command with limits, and apart from the machine if that is possible. */
export async function confined(
  {
    words,
    folder,
    environment: own,
    limitedFolder: path,
  }: Pick<Command, 'words' | 'folder' | 'environment' | 'limitedFolder'>,
  { user, diskBytesMax, processesMax, confinement: { sh, isolation } }: Bounds,
): Promise<Confined> {
  const { script, environment } = handed(own, folder, diskBytesMax);
  if (isolation === undefined)
    return { words: [sh, '-c', script, 'sh', ...words], environment, network: undefined, remove: async () => {} };
  const places = await placesIn(path, isolation, user);
  const apart = wordsApart(isolation, sh, { path, seen: seenFolders, places, processesMax, script });
  return {
    words: [...apart, ...words],
    environment,
    network: isolation.network,
    async remove() {
      await openFolders(places).catch(() => {});
      await rm(places, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    },
  };
}

async function placesIn(path: string, isolation: Isolation, user: AgentSettings['user']): Promise<string> {
  const places = await mkdtemp(join(path, 'places-'));
  const made = [places, ...placeNames(isolation).map((name) => join(places, name))];
  for (const one of made.slice(1)) await mkdir(one, { mode: 0o700 });
  if (user !== undefined) for (const one of made) await chown(one, user.uid, user.gid);
  return places;
}
