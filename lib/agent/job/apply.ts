import { chmod, copyFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Outcome } from '../api/job.ts';
import { applyCommand, initCommand } from '../engine/commands.ts';
import { countsOfApply } from '../engine/counts.ts';
import { unpack } from '../run/archive.ts';
import { applyNote, giveTo, writePrivate } from '../run/folder.ts';
import { stateFile } from '../run/inputs.ts';
import type { Ended } from '../run/process.ts';
import { type Prepared, prepare, type Stage } from './stage.ts';
import { StateUploads } from './states.ts';

/** The last words of the engine have the numbers of resources. */
const tailCharacters = 4_096;

/** Applies the stored plan, and stores the state, whatever the outcome. */
export async function apply(stage: Stage): Promise<Outcome | Ended> {
  const { job, material, settings } = stage;
  const prepared = await prepare(stage);
  await unpack(await job.planFile(), prepared.folder, settings.diskBytesMax);
  await writePrivate(
    join(stage.folder.path, applyNote),
    `${job.runId}\n${relative(stage.folder.path, join(prepared.folder, stateFile))}\n`,
  );
  await giveTo(settings.user, stage.folder.path);
  const initialised = await prepared.engine(initCommand());
  if (initialised.code !== 0) return initialised;
  const states = new StateUploads(job, material['workspace-id'], prepared.folder, prepared.state);
  states.begin();
  let tail = '';
  const applied = await prepared.engine(applyCommand(material), (piece) => {
    tail = (tail + piece.toString()).slice(-tailCharacters);
    return stage.log.write(piece);
  });
  try {
    await states.end();
  } catch (error) {
    if (await states.isAhead()) await keep(stage, prepared);
    throw error;
  }
  if (applied.code !== 0) return applied;
  return { status: 'finished', ...countsOfApply(tail) };
}

/** A state that the service does not take is kept on this machine: nothing else knows what was created. */
async function keep({ settings, job }: Stage, { folder }: Prepared): Promise<void> {
  const path = join(settings.folder, `${job.runId}.tfstate`);
  await copyFile(join(folder, stateFile), path);
  await chmod(path, 0o600);
  throw new Error(`The state could not be stored. It is kept on the machine of the agent: ${path}`);
}
