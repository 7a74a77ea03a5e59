import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from '#core/secret.ts';

/** The file that the clients of the API family share. */
export const tokenFileIn = (home: string): string => join(home, '.vault-token');

/** Undefined when there is no token. Reads at once: nothing else is to be done, and the promises of `fs` would be loaded for it. */
export function readTokenFile(home: string): string | undefined {
  try {
    return readFileSync(tokenFileIn(home), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Only the user may read it, also while it is written. */
export async function writeTokenFile(home: string, token: Secret): Promise<void> {
  const [{ randomUUID }, { rename, rm, writeFile }] = await Promise.all([
    import('node:crypto'),
    import('node:fs/promises'),
  ]);
  const file = tokenFileIn(home);
  const written = `${file}.${randomUUID()}`;
  try {
    await writeFile(written, token.reveal(), { mode: 0o600, flag: 'wx' });
    await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

export const removeTokenFile = (home: string): void => rmSync(tokenFileIn(home), { force: true });
