import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The code of an earlier commit, in a folder of its own. */
export interface Earlier {
  readonly folder: string;
  readonly commit: string;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const commitsMax = 100;

/**
 * Takes the newest ancestor whose schema is another one than that of the working tree, or else the last but one commit.
 * Answers why there is none, as a text: no history, no tar, or other packages than those that are installed.
 */
export async function earlierCode(): Promise<Earlier | string> {
  const commits =
    run('git', ['rev-list', `--max-count=${commitsMax}`, 'HEAD'])
      ?.toString()
      .trim()
      .split('\n') ?? [];
  const commit = commits.find((one) => hasOtherSchema(one)) ?? commits[1];
  if (commit === undefined) return 'there is no history of this code (a shallow checkout, or none at all)';
  const archive = run('git', ['archive', '--format=tar', commit, 'package.json', 'infra', 'lib', 'functions']);
  if (archive === undefined) return `the code of ${commit} is not there`;
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-earlier-'));
  const close = () => rm(folder, { recursive: true, force: true });
  const refusal = await unpacked(folder, archive);
  if (refusal === undefined) return { folder, commit: commit.slice(0, 7), close };
  await close();
  return refusal;
}

/** `git diff` ends with 1 when they differ, and with more when it cannot tell. */
const hasOtherSchema = (commit: string): boolean =>
  spawnSync('git', ['diff', '--quiet', commit, '--', 'lib/store/migrations'], { cwd: root }).status === 1;

async function unpacked(folder: string, archive: Buffer): Promise<string | undefined> {
  await writeFile(join(folder, 'code.tar'), archive);
  if (run('tar', ['-xf', 'code.tar'], folder) === undefined) return 'there is no tar';
  const [earlier, present] = await Promise.all([packagesOf(folder), packagesOf(root)]);
  const other = Object.entries(earlier).find(([name, version]) => present[name] !== version);
  if (other !== undefined) return `the earlier code uses ${other.join(' ')}, which is not installed`;
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return undefined;
}

async function packagesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  return dependencies;
}

/** Standard output, or undefined when the command failed or is not there. */
function run(command: string, args: readonly string[], cwd = root): Buffer | undefined {
  const { status, stdout } = spawnSync(command, args, { cwd, maxBuffer: 256 * 1024 * 1024, timeout: 30_000 });
  return status === 0 ? stdout : undefined;
}
