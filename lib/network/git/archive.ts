import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { extract, type Pack, pack } from 'tar-stream';
import type { Repository } from './repository.ts';
import { GitFailure } from './settings.ts';

/** One commit of a repository, and the folder of the archive that its files go to; empty for the root. */
export interface Part {
  readonly repository: Repository;
  readonly commit: string;
  readonly folder: string;
}

export interface ArchiveLimits {
  /** Of all files together, unpacked. */
  readonly bytesMax: number;
  readonly entriesMax: number;
}

/**
 * A gzipped tar archive of commits, as a stream. Files come out of the object store as they were committed: no work tree, no filters, no hooks.
 * The stream fails with a GitFailure when the commits are too large.
 */
export function archiveOf(parts: AsyncIterable<Part>, limits: ArchiveLimits): Gzip {
  const tar = pack();
  const zipped = createGzip();
  tar.on('error', (error) => zipped.destroy(error));
  zipped.once('close', () => tar.destroy());
  tar.pipe(zipped);
  const count = counter(limits);
  const write = async () => {
    for await (const part of parts) await append(tar, part, count);
    tar.finalize();
  };
  write().catch((error: unknown) => zipped.destroy(error instanceof Error ? error : new Error(String(error))));
  return zipped;
}

/** @throws GitFailure beyond the limits */
function counter({ bytesMax, entriesMax }: ArchiveLimits): (bytes: number, entries?: number) => void {
  const sum = { bytes: 0, entries: 0 };
  return (bytes, entries = 0) => {
    sum.bytes += bytes;
    sum.entries += entries;
    if (sum.bytes > bytesMax) throw new GitFailure(`the files of the commit have more than ${bytesMax} bytes`);
    if (sum.entries > entriesMax) throw new GitFailure(`the commit has more than ${entriesMax} files and folders`);
  };
}

async function append(
  tar: Pack,
  { repository, commit, folder }: Part,
  count: ReturnType<typeof counter>,
): Promise<void> {
  const prefix = folder === '' ? [] : [`--prefix=${folder}/`];
  const running = repository.start(['archive', '--format=tar', ...prefix, '--end-of-options', commit]);
  const entries = extract();
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      try {
        count(piece.length);
        done(null, piece);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  await Promise.all([
    pipeline(running.output, counted, entries),
    (async () => {
      for await (const entry of entries) {
        count(0, 1);
        const { name, type, size = 0, mode, mtime, linkname } = entry.header;
        if (name.split('/').includes('..')) throw new GitFailure('the commit has a path outside of its root');
        const header = { name, type, size, mode, mtime, linkname, uid: 0, gid: 0, uname: 'root', gname: 'root' };
        await pipeline(entry, tar.entry(header as Parameters<Pack['entry']>[0]));
      }
    })(),
  ]);
  const { code } = await running.ended;
  repository.signal.throwIfAborted();
  if (code !== 0) throw new GitFailure('the files of the commit cannot be read');
}
