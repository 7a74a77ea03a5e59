import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '#core/secret.ts';

/** The file that the clients of the API family share. */
export const tokenFileIn = (home: string): string => join(home, '.vault-token');

/** Undefined when there is no token. */
export async function readTokenFile(home: string): Promise<string | undefined> {
  const text = await readFile(tokenFileIn(home), 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}

/** Only the user may read it, also while it is written. */
export async function writeTokenFile(home: string, token: Secret): Promise<void> {
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

export const removeTokenFile = (home: string): Promise<void> => rm(tokenFileIn(home), { force: true });
