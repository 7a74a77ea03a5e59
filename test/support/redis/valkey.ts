import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For Debian 12 on x86-64. The package needs only libraries that Debian's Redis needs too. */
const archive = 'http://deb.debian.org/debian/pool/main/v/valkey/valkey-tools_8.0.1+dfsg1-1~bpo12+1_amd64.deb';
const sha256 = 'd2c2ea67642fa9571a07138b80ae52ebe566311c952aef25a39c1d5050697853';
const fetchMsMax = 30_000;

/** The program of Valkey: the one on PATH, or one that is downloaded once. Returns the reason as a text when there is none. */
export async function findValkey(): Promise<{ readonly program: string } | string> {
  if (runs('valkey-server')) return { program: 'valkey-server' };
  const folder = join(tmpdir(), `keyferry-valkey-${sha256.slice(0, 12)}`);
  const program = join(folder, 'usr/bin/valkey-server');
  try {
    if (!existsSync(program)) await fetchInto(folder);
    return runs(program) ? { program } : 'the Valkey that was fetched does not run here';
  } catch (error) {
    return `no Valkey could be fetched: ${error instanceof Error ? error.message : 'unknown'}`;
  }
}

const runs = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

async function fetchInto(folder: string): Promise<void> {
  const answer = await fetch(archive, { signal: AbortSignal.timeout(fetchMsMax) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`another file is at ${archive}`);
  const making = await mkdtemp(`${folder}-`);
  await writeFile(join(making, 'valkey.deb'), bytes);
  await mkdir(join(making, 'root'));
  execFileSync('dpkg-deb', ['-x', join(making, 'valkey.deb'), join(making, 'root')]);
  // The program acts as the server under this name.
  await symlink('valkey-check-rdb', join(making, 'root/usr/bin/valkey-server'));
  // The server runs as another user.
  await chmod(join(making, 'root'), 0o755);
  await rename(join(making, 'root'), folder).catch(() => {});
  await rm(making, { recursive: true, force: true });
}
