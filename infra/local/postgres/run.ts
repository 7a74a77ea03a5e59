import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { endChild, endOf, startChild } from '../child.ts';
import { dataFolderOf } from './data-folder.ts';
import type { Programs } from './programs.ts';

export interface Run {
  readonly programs: Programs;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Time limit for its first reply. */
  readonly startMsMax: number;
  /** Called until it succeeds. */
  readonly answers: () => Promise<unknown>;
}

/** Starts a PostgreSQL and waits until it answers. @throws Error with its last lines if it ends before, or is late */
export async function runPostgres(run: Run): Promise<ChildProcess> {
  const { argument, ...handed } = dataFolderOf(run.dataDir);
  const settings = Object.entries(run.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log: string[] = [];
  const child = startChild(join(run.programs, 'bin', 'postgres'), ['-D', argument, ...settings], {
    ...handed,
    onLine: (line) => log.push(line) > 200 && log.shift(),
  });
  const deadline = Date.now() + run.startMsMax;
  for (;;) {
    const how = endOf(child);
    if (how !== undefined) throw new Error(`PostgreSQL ended at its start (${how}):\n${log.join('\n')}`);
    try {
      await run.answers();
      return child;
    } catch (cause) {
      if (Date.now() > deadline || isRefusal(cause)) {
        await endChild(child, 'SIGQUIT');
        throw new Error(`PostgreSQL did not answer (${String(cause)}):\n${log.join('\n')}`, { cause });
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** A retry does not help: the role is unknown, or the password is wrong. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === '28P01' || cause.code === '28000');
