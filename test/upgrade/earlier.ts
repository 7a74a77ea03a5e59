import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patience } from '../support/measures/patience.ts';

/** The code of an earlier commit in a separate folder. */
export interface Earlier {
  readonly folder: string;
  readonly commit: string;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const commitsMax = 200;

/**
 * Takes the given commit, else the newest ancestor with an earlier schema than the working tree, else the commit before the last. Returns
 * the reason as a string when there is none: no history, no tar, or other packages than the installed ones.
 */
export async function earlierCode(named?: string): Promise<Earlier | string> {
  const commits = wholeCommits();
  const commit = named ?? commits.find(hasEarlierSchema) ?? commits[1];
  if (commit === undefined) return 'there is no history of this code (a shallow checkout, or none at all)';
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-earlier-'));
  const close = () => rm(folder, { recursive: true, force: true });
  const problem = await unpacked(folder, commit);
  if (problem === undefined) return { folder, commit: commit.slice(0, 7), close };
  await close();
  return `commit ${commit.slice(0, 7)}: ${problem}`;
}

/** Newest first. Commits of the same second were split from one state of the tree, and only the last of them was ever run. */
function wholeCommits(): readonly string[] {
  const lines =
    run('git', ['log', `--max-count=${commitsMax}`, '--format=%ct %H'])
      ?.toString()
      .trim()
      .split('\n') ?? [];
  const dated = lines.map((line) => line.split(' '));
  return dated.flatMap(([at, commit = ''], index) => (dated[index - 1]?.[0] === at ? [] : [commit]));
}

const migrations = 'lib/store/migrations/';

/** The steps of a schema in order. */
const stepsOf = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => /\d{4}-[^/]+$/.exec(path) ?? []).sort();

/** Whether the schema of a commit consists of the first steps of ours. Parallel branches may have others. */
function hasEarlierSchema(commit: string): boolean {
  const listed = run('git', ['ls-tree', '--name-only', commit, migrations])?.toString().trim().split('\n') ?? [];
  const [theirs, ours] = [stepsOf(listed), stepsOf(readdirSync(join(root, migrations)))];
  return theirs.length > 0 && theirs.length < ours.length && theirs.every((step, index) => step === ours[index]);
}

async function unpacked(folder: string, commit: string): Promise<string | undefined> {
  const archive = run('git', ['archive', '--format=tar', commit, 'package.json', 'infra', 'lib']);
  if (archive === undefined) return 'its code is not there';
  await writeFile(join(folder, 'code.tar'), archive);
  if (run('tar', ['-xf', 'code.tar'], folder) === undefined) return 'there is no tar';
  const [earlier, present] = await Promise.all([packagesOf(folder), packagesOf(root)]);
  const other = Object.entries(earlier).find(([name, version]) => present[name] !== version);
  if (other !== undefined) return `it uses ${other.join(' ')}, which is not installed`;
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return undefined;
}

async function packagesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  return dependencies;
}

/** Standard output, or undefined when the command failed or does not exist. */
function run(command: string, args: readonly string[], cwd = root): Buffer | undefined {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    maxBuffer: 256 * 1024 * 1024,
    timeout: patience.conditionMs,
  });
  return status === 0 ? stdout : undefined;
}
