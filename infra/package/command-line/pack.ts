import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../bundle.ts';
import { agentFile, bundleProgram, programFile } from './bundle.ts';

export interface PackedProgram {
  /** The package, for `npx` and `npm install`. */
  readonly tarball: string;
  readonly programBytes: number;
}

const startFile = 'keyferry.cjs';

/**
 * Packs the program as a package of its own without dependencies, so that installing it installs nothing of the server. The package of
 * the repository stays private.
 */
export async function packProgram(folder = join(root, '.build/command-line')): Promise<PackedProgram> {
  const content = join(folder, 'package');
  await rm(content, { recursive: true, force: true });
  await mkdir(content, { recursive: true });
  const programBytes = await bundleProgram(join(content, startFile));
  await chmod(join(content, startFile), 0o755);
  await copyFile(join(root, 'LICENSE'), join(content, 'LICENSE'));
  await copyFile(join(root, 'docs/command-line.md'), join(content, 'README.md'));
  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const manifest = {
    name: 'keyferry',
    version,
    description: 'The command line of Keyferry: secrets, syncs and workspaces',
    license,
    bin: { keyferry: startFile },
    files: [startFile, programFile, agentFile],
    engines: { node: '>=20' },
  };
  await writeFile(join(content, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: content });
  return { tarball: join(folder, `keyferry-${version}.tgz`), programBytes };
}

interface Manifest {
  readonly version: string;
  readonly license: string;
}
