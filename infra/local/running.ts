import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process of this machine. */
export interface RunningProcess {
  readonly parent: number;
  /** Its program with the arguments. */
  readonly command: string;
}

/** Undefined if the process does not exist. Small images have no `ps`, and macOS has no `/proc`. */
export function runningProcess(pid: number): RunningProcess | undefined {
  return fromProc(pid) ?? fromPs(pid);
}

function fromProc(pid: number): RunningProcess | undefined {
  try {
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): RunningProcess | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
  const [, parent, command = ''] = /^\s*(\d+)\s+(.*)$/m.exec(stdout ?? '') ?? [];
  return parent === undefined ? undefined : { parent: Number(parent), command: command.trim() };
}
