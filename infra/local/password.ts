import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** A generated password: 256 bits, in characters that need no escape in a URL, in SQL or in a file of Redis. */
export const newPassword = (): string => randomBytes(32).toString('hex');

/** The password in this file, which only its owner may read; generated at the first start. */
export async function keptPassword(file: string): Promise<string> {
  await writeFile(file, `${newPassword()}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const password = (await readFile(file, 'utf8')).trim();
  if (/^[0-9a-f]{64}$/.test(password)) return password;
  throw new Error(`${file} contains no password: remove it, and the next start generates one`);
}
