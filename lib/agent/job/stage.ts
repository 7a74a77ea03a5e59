import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../api/job.ts';
import type { Material } from '../api/material.ts';
import type { Engine } from '../engine/find.ts';
import type { LogWriter } from '../log/writer.ts';
import { sshProxyOption } from '../run/apart/network/environment.ts';
import { unpack } from '../run/archive.ts';
import type { Ended } from '../run/command.ts';
import { giveTo, type RunFolder, workingFolder, writePrivate } from '../run/folder.ts';
import { hostsText } from '../run/hosts.ts';
import { backendOverride, backendOverrideFile, environmentOf, stateFile, variableFiles } from '../run/inputs.ts';
import { type Limits, run } from '../run/process.ts';
import type { Writer } from '../run/written.ts';
import type { AgentSettings } from '../settings.ts';

/** One part of a run on this machine. */
export interface Stage {
  readonly job: Job;
  readonly material: Material;
  readonly engines: readonly Engine[];
  readonly log: LogWriter;
  readonly settings: AgentSettings;
  readonly limits: Limits;
  readonly folder: RunFolder;
}

/** A folder in which the engine can run. */
export interface Prepared {
  readonly folder: string;
  /** The state that was there before; empty without one. */
  readonly state: string;
  readonly variableFiles: readonly string[];
  /** Whose files are read there. */
  readonly writer: Writer;
  /** Runs an engine. The output goes to the log unless `output` takes it. */
  run(engine: Engine, words: readonly string[], output?: (piece: Buffer) => Promise<void>): Promise<Ended>;
}

/** Brings the configuration, the state and the variables to the folder of the run. */
export async function prepare(stage: Stage): Promise<Prepared> {
  const { job, material, settings, folder } = stage;
  await unpack(await job.configuration(), folder.configuration, settings.diskBytesMax);
  const working = await workingFolder(folder.configuration, material['working-directory']);
  // Files of an earlier run on another machine, if the archive has them.
  for (const name of ['.terraform', stateFile, `${stateFile}.backup`, 'terraform.tfstate.d'])
    await rm(join(working, name), { recursive: true, force: true });
  await rm(join(working, backendOverrideFile), { force: true });
  await writePrivate(join(working, backendOverrideFile), backendOverride);
  const url = material['state-download-url'];
  const state = url === null ? undefined : await job.state(url);
  if (state !== undefined) await writePrivate(join(working, stateFile), state);
  const files = variableFiles(material, folder.inputs);
  for (const { path, text } of files) await writePrivate(path, text);
  const sshKeyFile = material['ssh-key'] === null ? undefined : join(folder.inputs, 'ssh-key');
  if (sshKeyFile !== undefined) await writePrivate(sshKeyFile, `${material['ssh-key']}\n`);
  const network = stage.limits.confinement.isolation?.network;
  const sshProxyFile = join(folder.inputs, 'ssh-proxy.cjs');
  if (network !== undefined) await writePrivate(sshProxyFile, network.sshProgram);
  const { address, token } = job.connection;
  const hostsFile = join(folder.inputs, 'hosts.tfrc');
  const publicAddress = material['public-url'];
  await writePrivate(hostsFile, hostsText({ address, publicAddress, token: token.reveal() }));
  await giveTo(settings.user, folder.path);
  const environment = environmentOf(material, {
    environment: { ...settings.environment, ...network?.variables },
    home: folder.home,
    temporary: folder.temporary,
    address,
    token: token.reveal(),
    sshKeyFile,
    sshOption: network === undefined ? undefined : sshProxyOption(sshProxyFile),
    hostsFile,
  });
  return {
    folder: working,
    state: state?.toString() ?? '',
    variableFiles: files.map(({ path }) => path),
    writer: { root: folder.path, user: settings.user },
    run: (engine, words, output) =>
      run(
        {
          words: [engine.program, ...words],
          folder: working,
          environment,
          output: output ?? ((piece) => stage.log.write(piece)),
          complaints: (piece) => stage.log.write(piece),
          limitedFolder: folder.path,
        },
        stage.limits,
      ),
  };
}
