import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, as the name of a folder tells it. */
export interface Owner {
  /** Of the machine, its start and the process numbers in use: pids are comparable within one place only. */
  readonly place: string;
  readonly pid: number;
  /** When the process began, in ticks of the machine's clock; 0 where it is unknown. A pid alone may be that of a later process. */
  readonly begun: string;
}

let own: Owner | undefined;

/** This process. */
export function thisOwner(): Owner {
  own ??= { place: placeHere(), pid: process.pid, begun: statOf(process.pid)?.begun ?? '0' };
  return own;
}

/** Whether the process lives. Undefined: it belongs to another place, so that it cannot be seen from here. */
export function isAlive({ place, pid, begun }: Owner): boolean | undefined {
  if (place !== thisOwner().place) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be signalled, but lives.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const stat = statOf(pid);
  if (stat === undefined) return true;
  return stat.begun === begun && stat.state !== 'Z';
}

function placeHere(): string {
  const boot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const numbers = quietly(() => readlinkSync('/proc/self/ns/pid'));
  return createHash('sha256')
    .update(JSON.stringify([hostname(), boot, numbers]))
    .digest('hex')
    .slice(0, 8);
}

/** Field 3 and field 22 of proc_pid_stat(5). The name of the program, field 2, may hold spaces and parentheses. */
function statOf(pid: number): { readonly state: string; readonly begun: string } | undefined {
  const text = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, begun] = [fields?.[0], fields?.[19]];
  return state === undefined || begun === undefined ? undefined : { state, begun };
}

function quietly(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
