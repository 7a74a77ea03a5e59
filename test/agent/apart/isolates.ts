import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { guardOf, readAllowed } from '#agent/run/apart/network/guard.ts';
import { tryConfinement } from '#agent/run/trial.ts';

const settings = { folder: tmpdir(), user: undefined, hiddenFiles: [], environment: process.env };

/** Whether this machine keeps runs apart. */
export async function isolates(): Promise<boolean> {
  return (await tryConfinement({ ...settings, guard: undefined }, [])).isolation !== undefined;
}

/** Whether the machine has what a network for each run takes, so that an agent without one has a fault. */
export function canGuardNetworks(user: { readonly uid: number; readonly gid: number } | undefined): boolean {
  const words = ['--user', '--map-root-user', '--net', process.execPath, '--version'];
  try {
    execFileSync('/usr/bin/unshare', words, { stdio: 'ignore', ...user });
  } catch {
    return false;
  }
  return ['/usr/bin/ip', '/bin/ip', '/usr/bin/perl'].some((program) => existsSync(program));
}

/** Whether it gives them a network of their own. */
export async function guardsNetworks(): Promise<boolean> {
  const guard = guardOf({ address: 'http://127.0.0.1:1', networkAllowed: readAllowed(undefined), environment: {} });
  return (await tryConfinement({ ...settings, guard }, [])).isolation?.network !== undefined;
}
