import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kept, keptPaths } from './kept.ts';
import type { Guard } from './network/guard.ts';
import { type GuardedNetwork, networkOn } from './network/network.ts';
import { type Environment, programOnPath } from './programs.ts';
import { quoted } from './shell.ts';

const programNames = ['setpriv', 'unshare', 'mount', 'mkdir', 'prlimit'] as const;

/** What keeps a run apart from the machine. */
export interface Isolation {
  /** The programs that do it, by their absolute names. */
  readonly programs: Readonly<Record<(typeof programNames)[number], string>>;
  /** Folders in which every user may write; a run gets its own. */
  readonly shared: readonly string[];
  /** The folder with the folders of all runs. */
  readonly folder: string;
  /** Files that runs must not read. */
  readonly hiddenFiles: readonly string[];
  /** What runs need of the folders that they do not see otherwise. */
  readonly kept: readonly Kept[];
  /** The network of a run; undefined: that of the machine. */
  readonly network: GuardedNetwork | undefined;
}

export interface Machine {
  readonly folder: string;
  readonly hiddenFiles: readonly string[];
  readonly environment: Environment;
  /** The programs of the engines. */
  readonly engines: readonly string[];
  /** Undefined: runs have the network of the machine. */
  readonly guard: Guard | undefined;
}

/** Undefined: the machine does not have the programs. */
export async function isolationOn({
  environment,
  engines,
  guard,
  ...machine
}: Machine): Promise<Isolation | undefined> {
  const found = await Promise.all(programNames.map(async (name) => [name, await programOnPath(name, environment)]));
  if (found.some(([, program]) => program === undefined)) return undefined;
  const shared = await existing(['/tmp', '/var/tmp', '/dev/shm']);
  const network = guard === undefined ? undefined : await networkOn(guard, environment);
  const needed = network === undefined ? engines : [...engines, ...network.programs];
  const hidden = [...shared, machine.folder];
  const kept = await keptPaths({ environment, engines: needed, folder: machine.folder, hidden });
  const hiddenFiles = await existing(machine.hiddenFiles);
  return { ...machine, hiddenFiles, programs: Object.fromEntries(found), shared, kept, network };
}

/** A command with its own view of the machine. */
interface Apart {
  /** The private folder of the run. The run sees the folders in it that `seen` names, and nothing else of it. */
  readonly path: string;
  readonly seen: readonly string[];
  /** An empty folder in the private folder, made for this command: an earlier one could leave links there. */
  readonly places: string;
  readonly processesMax: number;
  /** The script of the shell that runs the command. */
  readonly script: string;
}

/**
 * The words in front of a command that let it see no processes but its own, no folder of another run, no file that others share, and no network but
 * its own. They die with the agent. The command has no rights over this view, and cannot make another one in which it had.
 */
export function wordsApart(isolation: Isolation, sh: string, apart: Apart): readonly string[] {
  const { setpriv, unshare, prlimit } = isolation.programs;
  const script = [...viewOf(isolation, apart), 'exec "$@"'].join('\n');
  const others = ['--pid', '--ipc', '--fork', '--mount-proc', '--kill-child=KILL', '--'];
  const root = [unshare, '--user', '--map-root-user'];
  // The network is made first: what sets it up is outside of the run's view of processes and folders.
  const made =
    isolation.network === undefined ? [] : ['--net', '--', sh, '-c', isolation.network.script, 'sh', unshare];
  return [
    ...[setpriv, '--pdeathsig', 'KILL', '--'],
    ...[...root, ...made, ...others],
    ...[sh, '-c', script, 'sh'],
    ...[prlimit, `--nproc=${apart.processesMax}`, '--'],
    ...[setpriv, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'],
    ...[sh, '-c', apart.script, 'sh'],
  ];
}

/** The names of the folders that stand for the shared ones, in a folder made for a command. */
export const placeNames = ({ shared }: Isolation): readonly string[] => shared.map((_, at) => `${at}`);

/** The shell that makes the view works in the private folder, since the path of that folder is hidden by one of the mounts. */
function viewOf({ programs, shared, folder, hiddenFiles, kept }: Isolation, apart: Apart): readonly string[] {
  const bind = (from: string, to: string) => `${programs.mount} -n -c --bind ${quoted(from)} ${quoted(to)}`;
  const make = (path: string) => `${programs.mkdir} -p ${quoted(path)}`;
  const places = `./${apart.places.slice(apart.path.length + 1)}`;
  const point = ({ path, isFolder }: Kept) =>
    isFolder ? [make(path)] : [make(join(path, '..')), `[ -e ${quoted(path)} ] || : > ${quoted(path)}`];
  return [
    'set -e',
    `cd ${quoted(apart.path)}`,
    ...kept.flatMap((one, at) => {
      const path = `${places}/kept-${at}`;
      return [...point({ ...one, path }), bind(one.path, path)];
    }),
    // A file that the user of the run cannot reach needs no hiding, and cannot be hidden by that user.
    ...hiddenFiles.map((file) => `[ ! -e ${quoted(file)} ] || ${bind('/dev/null', file)}`),
    ...shared.map((path, at) => bind(`${places}/${at}`, path)),
    ...(shared.some((path) => isBelow(folder, path))
      ? []
      : [`${programs.mount} -n -t tmpfs -o size=1m,mode=0755 keyferry ${quoted(folder)}`]),
    ...apart.seen.flatMap((name) => [make(join(apart.path, name)), bind(`./${name}`, join(apart.path, name))]),
    ...kept.flatMap((one, at) => [...point(one), bind(`${places}/kept-${at}`, one.path)]),
    'echo 0 > /proc/sys/user/max_user_namespaces',
  ];
}

export const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}
