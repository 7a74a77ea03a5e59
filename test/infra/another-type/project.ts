import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const own = new URL('../../../', import.meta.url).pathname;
const copied = ['lib', 'functions', 'infra', 'test', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json'];
const copiedBesides = [
  'serverless.yml',
  'docker-compose.yml',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const outputBytesMax = 16 * 1024 * 1024;
/** Longer than a busy machine needs. */
const runMsMax = 400_000;

/** A copy of this project in a separate folder, with the same packages. */
export interface ProjectCopy {
  readonly root: string;
  /** Runs a Node program there and returns its output. @throws Error with the output when it fails */
  run(file: string, ...args: readonly string[]): Promise<string>;
  read(path: string): Promise<string>;
  remove(): Promise<void>;
}

export async function copyProject(): Promise<ProjectCopy> {
  const root = await mkdtemp(join(tmpdir(), 'keyferry-another-type-'));
  for (const path of [...copied, ...copiedBesides]) await cp(join(own, path), join(root, path), { recursive: true });
  await symlink(join(own, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    run: (file, ...args) => run(root, [file, ...args]),
    read: (path) => readFile(join(root, path), 'utf8'),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** An environment without the settings of this test run and without any credentials. */
async function run(root: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: root, HTTPS_PROXY: 'http://127.0.0.1:1', NO_COLOR: '1' };
  const options = { cwd: root, env, maxBuffer: outputBytesMax, timeout: runMsMax };
  const { stdout } = await promisify(execFile)(process.execPath, [...args], options).catch((error: unknown) => {
    const said = ['stdout', 'stderr'].map((stream) => Reflect.get(Object(error), stream));
    throw new Error([`${args.join(' ')} failed`, ...said].join('\n'), { cause: error });
  });
  return stdout;
}

const type = 'key-shelf';
/** The type whose function and row serve as the pattern. */
const pattern = 'deploy-host-project';

/** Removes the functions of the other workers, because bundling them takes most of the time. */
export async function removeOtherWorkers({ root, read }: ProjectCopy): Promise<void> {
  const platform = await read('serverless.yml');
  const others = new RegExp(`^  sync-(?!${type}:).*:\\n(?: {4}.*\\n)+\\n`, 'gm');
  await writeFile(join(root, 'serverless.yml'), platform.replace(others, ''));
  for (const file of await readdir(join(root, 'functions')))
    if (file.startsWith('sync-') && file !== `sync-${type}.ts`) await rm(join(root, 'functions', file));
}

/** The five steps to add a destination type. */
export async function addType({ root, read }: ProjectCopy): Promise<void> {
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  // 1. Its folder.
  const source = join(own, 'test/infra/another-type', type);
  await mkdir(join(root, 'lib/destinations', type, 'fake'), { recursive: true });
  for (const file of (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(source, file), 'utf8');
    await write(
      `lib/destinations/${type}/${file}`,
      text.replaceAll('../../../../lib/destinations/', '../').replaceAll('../../../../lib/', '../../'),
    );
  }
  // 2. Its line in the list.
  const list = await read('lib/destinations/index.ts');
  await write(
    'lib/destinations/index.ts',
    `import { definition as keyShelf } from './${type}/index.ts';\n${list.replace('\n];\n', '\n  keyShelf,\n];\n')}`,
  );
  // 3. Its function.
  const worker = await read(`functions/sync-${pattern}.ts`);
  await write(`functions/sync-${type}.ts`, worker.replaceAll(pattern, type));
  // 4. Its row among the functions.
  const platform = await read('serverless.yml');
  const row = new RegExp(`^  sync-${pattern}:\\n(?: {4}.*\\n)+\\n`, 'm').exec(platform)?.[0] ?? '';
  const added = row.replaceAll(pattern, type).replaceAll('DeployHostProject', 'KeyShelf');
  await write('serverless.yml', platform.replace(row, `${row}${added}`));
  // 5. Its page.
  await cp(join(source, 'page.md'), join(root, `docs/destinations/${type}.md`));
  await cp(join(own, 'test/infra/another-type/taken-up.ts'), join(root, 'test/infra/another-type/taken-up.test.ts'));
}
