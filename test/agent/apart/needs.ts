import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { confinementOf } from '#agent/run/apart/confine.ts';
import { makeRunFolder } from '#agent/run/folder.ts';
import { run } from '#agent/run/process.ts';
import { usersOfRuns } from '#agent/run/users.ts';
import { readWritten } from '#agent/run/written.ts';

/** A program that does in a folder with a run what an agent of root does, and prints the first step that it may not do; `nothing` if it may do all. */
const user = { uid: usersOfRuns.last, gid: usersOfRuns.last };
const machine = {
  folder: process.argv[2] ?? '/',
  hiddenFiles: [],
  engines: [],
  guard: undefined,
  environment: { PATH: '/usr/bin:/bin' },
};
const never = new AbortController().signal;

async function steps(enter: (step: string) => void): Promise<void> {
  enter('give a folder to the run');
  const folder = await makeRunFolder({ folder: machine.folder, user });
  try {
    enter('start a command as another user');
    const file = join(folder.configuration, 'file');
    const command = {
      words: ['/bin/sh', '-c', 'umask 077; echo text > file; mkdir -m 1777 sticky; touch sticky/file'],
      folder: folder.configuration,
      environment: { PATH: '/usr/bin:/bin' },
      output: async () => {},
      limitedFolder: folder.path,
    };
    const { sh } = await confinementOf(machine);
    const bytesMax = 100_000_000;
    const bounds = { runMsMax: 600_000, diskBytesMax: bytesMax, memoryBytesMax: 1e10, processesMax: 64, graceMs: 0 };
    const { code } = await run(command, {
      ...{ user, ...bounds, signal: never, over: never },
      confinement: { sh, isolation: undefined },
    });
    if (code !== 0) throw new Error(`the command ended with ${code}`);
    enter('read what the run wrote');
    const text = await readWritten(file, { root: folder.path, user }, bytesMax);
    if (text?.toString() !== 'text\n') throw new Error('another text');
    enter('end a process of the run');
    const child = spawn('/bin/sleep', ['30'], { ...user, stdio: 'ignore' });
    await once(child, 'spawn');
    process.kill(child.pid ?? 0, 'SIGKILL');
  } finally {
    await folder.remove().catch(() => {});
  }
  enter('remove what the run left');
  if (existsSync(folder.path)) throw new Error('the folder is still there');
}

let at = '';
await steps((step) => {
  at = step;
}).then(
  () => process.stdout.write('nothing\n'),
  () => process.stdout.write(`${at}\n`),
);
process.exit(0);
