import { chmod, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Programs } from './programs.ts';

/** The message of initdb for a user id without an entry in /etc/passwd. */
export const namelessComplaint = 'could not look up effective user ID';

const asked = '\0getpwuid\0';
const instead = '\0getpwent\0';

/**
 * PostgreSQL creates its data folder only for a user with a name, although it does not use the name; containers run as a number
 * without one. These copies call `getpwent`, which returns the first user, instead of `getpwuid`, which would
 * return none: both have the same length, result and version in the C library. The caller removes the folder.
 */
export async function forNamelessUser(programs: Programs): Promise<Programs> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-programs-'));
  await chmod(folder, 0o755);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await chmod(bin, 0o755);
  for (const name of ['lib', 'share']) await symlink(join(programs, name), join(folder, name));
  for (const name of ['initdb', 'postgres']) {
    const code = await readFile(join(programs, 'bin', name), 'latin1');
    await writeFile(join(bin, name), code.replaceAll(asked, instead), 'latin1');
    await chmod(join(bin, name), 0o755);
  }
  return folder;
}
