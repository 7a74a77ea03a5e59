import { readdir, readFile } from 'node:fs/promises';

/** What a command and all that it started take. */
export interface Usage {
  /** Processes and threads. */
  readonly processes: number;
  /** Memory that is not swapped out; what several processes share counts for each. */
  readonly bytes: number;
  readonly pids: readonly number[];
}

/** Adds up the descendants of a process and its process group. Nothing where `/proc` cannot be read. */
export async function usageOf(pid: number): Promise<Usage> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(processOf));
  const processes = found.filter((one) => one !== undefined);
  const own = new Set([pid]);
  for (let before = 0; before !== own.size; ) {
    before = own.size;
    for (const one of processes) if (own.has(one.parent) || one.group === pid) own.add(one.pid);
  }
  const counted = processes.filter((one) => own.has(one.pid));
  const bytes = await Promise.all(counted.map((one) => residentBytes(one.pid)));
  return {
    processes: counted.reduce((sum, { threads }) => sum + threads, 0),
    bytes: bytes.reduce((sum, one) => sum + one, 0),
    pids: [...own],
  };
}

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly threads: number;
}

/** Fields 4, 5 and 20 of proc_pid_stat(5); the name of the program, field 2, may hold spaces and parentheses. */
async function processOf(name: string): Promise<Seen | undefined> {
  const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 18) return undefined;
  return { pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), threads: Number(fields[17]) };
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(text)?.[1] ?? '0') * 1_024;
}
