import { tmpdir } from 'node:os';
import { tryConfinement } from '#agent/run/trial.ts';

/** Whether this machine keeps runs apart. */
export async function isolates(): Promise<boolean> {
  const settings = { folder: tmpdir(), user: undefined, hiddenFiles: [], guard: undefined, environment: process.env };
  return (await tryConfinement(settings, [])).isolation !== undefined;
}
