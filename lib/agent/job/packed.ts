import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { makePrivateFolder } from '#core/folders/private-folder.ts';
import { planFile } from '../engine/commands.ts';
import { type Engine, type EngineKind, kindOf } from '../engine/find.ts';
import { runFolderPrefix, writePrivate } from '../run/folder.ts';
import { readWritten, type Writer } from '../run/written.ts';

/** Tells the engine that made the plan beside it. */
export const engineFile = '.keyferry-engine.json';
const lockFile = '.terraform.lock.hcl';
const lockBytesMax = 16 * 1024 * 1024;
const planBytesMax = 512 * 1024 * 1024;
const engineBytesMax = 4_096;

const engineKind = z.object({ name: z.string(), version: z.string() });

/**
 * The plan, the versions of providers for which it was made, and its engine, as an archive. It is packed in a folder of the agent's own: what the run has
 * put into its folder is read as the run wrote it, and nothing is written there.
 */
export async function packedPlan(
  folder: string,
  writer: Writer,
  { engine, parent }: { readonly engine: Engine; readonly parent: string },
): Promise<Buffer> {
  const plan = await readWritten(join(folder, planFile), writer, planBytesMax);
  if (plan === undefined) throw new Error('The engine has left no plan.');
  const lock = await readWritten(join(folder, lockFile), writer, lockBytesMax);
  const own = await makePrivateFolder(parent, runFolderPrefix);
  try {
    const files: Readonly<Record<string, string | Uint8Array>> = {
      [planFile]: plan,
      [engineFile]: JSON.stringify(kindOf(engine)),
      ...(lock === undefined ? {} : { [lockFile]: lock }),
    };
    for (const [name, content] of Object.entries(files)) await writePrivate(join(own.path, name), content);
    const archive = join(own.path, 'plan.tar.gz');
    await promisify(execFile)('tar', ['-czf', archive, '-C', own.path, ...Object.keys(files)], {
      env: { PATH: '/usr/bin:/bin' },
    });
    return await readFile(archive);
  } finally {
    await own.remove().catch(() => {});
  }
}

/** The engine of the plan that was unpacked into a folder; undefined when it does not tell. No command of the run has begun. */
export async function readEngineOf(folder: string): Promise<EngineKind | undefined> {
  const text = await readWritten(join(folder, engineFile), { root: folder, user: undefined }, engineBytesMax);
  return text === undefined ? undefined : engineKind.parse(JSON.parse(text.toString()));
}
