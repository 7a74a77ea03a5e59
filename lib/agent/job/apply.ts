import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Outcome } from '../api/job.ts';
import { applyCommand, initCommand } from '../engine/commands.ts';
import { countsOfApply } from '../engine/counts.ts';
import { engineFor, engineOfPlan } from '../engine/find.ts';
import { unpack } from '../run/archive.ts';
import type { Ended } from '../run/command.ts';
import { applyNote, giveTo, writePrivate } from '../run/folder.ts';
import { stateFile } from '../run/inputs.ts';
import { keepState } from '../run/keep.ts';
import { engineFile, readEngineOf } from './packed.ts';
import { prepare, type Stage } from './stage.ts';
import { StateUploads } from './states.ts';

/** The last words of the engine have the numbers of resources. */
const tailCharacters = 4_096;

/** Applies the stored plan, and stores the state, whatever the outcome. */
export async function apply(stage: Stage): Promise<Outcome | Ended> {
  const { job, material, settings, engines, folder } = stage;
  const prepared = await prepare(stage);
  // One of the configuration says nothing about the plan.
  await rm(join(prepared.folder, engineFile), { recursive: true, force: true });
  await unpack(await job.planFile(), prepared.folder, settings.diskBytesMax);
  const kind = await readEngineOf(prepared.folder);
  // Plans of earlier versions do not tell it.
  const engine =
    kind === undefined ? engineFor(material['engine-version'], engines, settings.engine) : engineOfPlan(kind, engines);
  await stage.log.line(`Agent ${settings.name}, engine ${engine.version}: apply of ${job.runId}`);
  const state = join(prepared.folder, stateFile);
  await writePrivate(join(folder.path, applyNote), `${job.runId}\n${relative(folder.path, state)}\n`);
  await giveTo(settings.user, folder.path);
  const initialised = await prepared.run(engine, initCommand());
  if (initialised.code !== 0) return initialised;
  const states = new StateUploads(job, {
    workspaceId: material['workspace-id'],
    path: state,
    writer: prepared.writer,
    present: prepared.state,
  });
  states.begin();
  let tail = '';
  const applied = await prepared.run(engine, applyCommand(material), (piece) => {
    tail = (tail + piece.toString()).slice(-tailCharacters);
    return stage.log.write(piece);
  });
  try {
    await states.end();
  } catch (error) {
    throw (await states.isStored()) ? error : await unstored(stage, state, error);
  }
  if (applied.code !== 0) return applied;
  return { status: 'finished', ...countsOfApply(tail) };
}

/** A state that the service does not have is kept on this machine: nothing else knows what was created. */
async function unstored({ settings, job, folder }: Stage, path: string, error: unknown): Promise<Error> {
  const why = error instanceof Error ? error.message : String(error);
  const kept = await keepState(settings.folder, job.runId, { path, root: folder.path, user: settings.user }).catch(
    () => undefined,
  );
  const where = kept === undefined ? 'It cannot be kept either.' : `It is kept on the machine of the agent: ${kept}`;
  return new Error(`The state could not be stored. ${why} ${where}`, { cause: error });
}
