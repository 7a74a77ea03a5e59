import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes that files below a folder take, without following links; it stops counting above `enough`. */
export async function bytesBelow(folder: string, enough: number): Promise<number> {
  let bytes = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && bytes <= enough; next = waiting.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else
        bytes += await lstat(path).then(
          ({ size }) => size,
          () => 0,
        );
    }
  }
  return bytes;
}
