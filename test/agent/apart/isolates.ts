import { tmpdir } from 'node:os';
import { guardOf, readAllowed } from '#agent/run/apart/network/guard.ts';
import { tryConfinement } from '#agent/run/trial.ts';

const settings = { folder: tmpdir(), user: undefined, hiddenFiles: [], environment: process.env };

/** Whether this machine keeps runs apart. */
export async function isolates(): Promise<boolean> {
  return (await tryConfinement({ ...settings, guard: undefined }, [])).isolation !== undefined;
}

/** Whether it gives them a network of their own. */
export async function guardsNetworks(): Promise<boolean> {
  const guard = guardOf({ address: 'http://127.0.0.1:1', networkAllowed: readAllowed(undefined), environment: {} });
  return (await tryConfinement({ ...settings, guard }, [])).isolation?.network !== undefined;
}
