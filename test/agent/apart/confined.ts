import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { guardOf, readAllowed } from '#agent/run/apart/network/guard.ts';
import { makeRunFolder } from '#agent/run/folder.ts';
import { type Limits, run } from '#agent/run/process.ts';
import { tryConfinement } from '#agent/run/trial.ts';
import { patience } from '../../support/measures/patience.ts';

interface Options extends Partial<Limits> {
  readonly hiddenFiles?: readonly string[];
  readonly engines?: readonly string[];
  /** Absent: runs have the network of the machine. */
  readonly network?: {
    /** Of the server. */
    readonly address: string;
    readonly allowed?: string;
    /** The environment of the agent, with its proxies. */
    readonly agent?: Readonly<Record<string, string>>;
  };
  /** Where the folder of the agent is, if it is not the one for temporary files. Its runs have the user of this process then. */
  readonly within?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const megabyte = 1024 * 1024;

/** The folder of an agent with that of a run, and commands of the run in it. The run has another user if this process is root. */
export async function confinedRun({
  hiddenFiles = [],
  environment = {},
  engines = [],
  network,
  within,
  ...changes
}: Options = {}) {
  const parent = await mkdtemp(join(within ?? tmpdir(), 'confined-'));
  await chmod(parent, 0o711);
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const user = process.getuid?.() === 0 && within === undefined ? { uid: 60_901, gid: 60_901 } : undefined;
  const path = { PATH: environment['PATH'] ?? '/usr/bin:/bin' };
  const guard =
    network === undefined
      ? undefined
      : guardOf({
          address: network.address,
          networkAllowed: readAllowed(network.allowed),
          environment: network.agent ?? {},
        });
  const settings = { folder: parent, user, hiddenFiles, environment: path, guard };
  const confinement = await tryConfinement(settings, engines);
  const folder = await makeRunFolder(settings);
  onTestFinished(() => folder.remove());
  const never = new AbortController().signal;
  const limits: Limits = {
    user,
    confinement,
    runMsMax: patience.conditionMs,
    diskBytesMax: 256 * megabyte,
    memoryBytesMax: 1_024 * megabyte,
    processesMax: 512,
    graceMs: 500,
    signal: never,
    over: never,
    ...changes,
  };
  const say = async (script: string) => {
    let text = '';
    const command = {
      words: ['/bin/sh', '-c', script],
      folder: folder.configuration,
      environment: { PATH: '/usr/bin:/bin', ...confinement.isolation?.network?.variables, ...environment },
      async output(piece: Buffer) {
        text += piece.toString();
      },
      limitedFolder: folder.path,
    };
    const ended = await run(command, limits);
    return { ...ended, text };
  };
  return {
    parent,
    folder,
    user,
    isIsolated: confinement.isolation !== undefined,
    isGuarded: confinement.isolation?.network !== undefined,
    limits,
    say,
  };
}
