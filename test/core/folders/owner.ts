import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface FolderOwner {
  readonly child: ChildProcess;
  readonly path: string;
  /** Ends the process without a chance to tidy up. */
  kill(): Promise<void>;
}

const program = `
  const { makePrivateFolder } = await import(process.argv[1]);
  const { path } = await makePrivateFolder(process.argv[2], process.argv[3]);
  console.log(path);
  setInterval(() => {}, 1_000);
`;

/** Another process with a private folder. */
export async function folderOwner(parent: string, prefix: string): Promise<FolderOwner> {
  const file = new URL('../../../lib/core/folders/private-folder.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, file, parent, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [path] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    child,
    path: String(path),
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
