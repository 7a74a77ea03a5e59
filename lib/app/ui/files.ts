import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the web page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  /** Its name has a hash of its content, so it never changes. */
  readonly hashed: boolean;
  readonly plain: Buffer;
  /** Absent where it would not be shorter. */
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** By name. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The first file of the page. */
export const pageName = 'index.html';

/** Beside the bundle of a function, or where `infra/ui/build.ts` writes. */
const folders = ['./ui/', '../../../.build/ui/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** All files, in memory: they are few and small, and a page that is loading during an update gets files of one build. Empty without a build. */
export async function readPage(): Promise<PageFiles> {
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    if (names.includes(pageName))
      return new Map(await Promise.all(plainNames(names).map((name) => entryOf(folder, name))));
  }
  return new Map();
}

const plainNames = (names: readonly string[]): readonly string[] =>
  names.filter((name) => types[extname(name)] !== undefined);

async function entryOf(folder: string, name: string): Promise<readonly [string, PageFile]> {
  const at = join(folder, name);
  const [plain, br, gzip] = await Promise.all([readFile(at), shorter(`${at}.br`), shorter(`${at}.gz`)]);
  return [
    name,
    {
      type: types[extname(name)] ?? '',
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      hashed: /-[A-Z0-9]{8}\./.test(name),
      plain,
      ...(br === undefined ? {} : { br }),
      ...(gzip === undefined ? {} : { gzip }),
    },
  ];
}

const shorter = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined);
