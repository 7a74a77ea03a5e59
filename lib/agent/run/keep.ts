import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openWritten, type Writer } from './written.ts';

/** Where the state of a run is kept that the service does not have. */
export const keptState = (folder: string, runId: string): string => join(folder, `${runId}.tfstate`);

/**
 * Copies a state to the agent's folder, over one of the same run. @returns its path; undefined when there is no state @throws Error when it cannot be read
 */
export async function keepState(
  folder: string,
  runId: string,
  { path, ...writer }: Writer & { readonly path: string },
): Promise<string | undefined> {
  const written = await openWritten(path, writer);
  if (written === undefined) return undefined;
  const kept = keptState(folder, runId);
  try {
    await rm(kept, { force: true });
    // A new file: a run that can write here may have put a link there.
    const target = createWriteStream(kept, { flags: 'wx', mode: 0o600 });
    await pipeline(written.handle.createReadStream({ autoClose: false }), target);
    return kept;
  } finally {
    await written.handle.close();
  }
}
