import { spawn } from 'node:child_process';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Unpacks a gzipped archive into an empty folder, up to a number of bytes. @throws Error for a damaged or too large one */
export async function unpack(archive: Response, folder: string, bytesMax: number): Promise<void> {
  const tar = spawn('tar', ['-x', '-f', '-', '-C', folder, '--no-same-owner', '--no-same-permissions'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('exit', resolve);
  });
  const source = Readable.fromWeb(archive.body as Parameters<typeof Readable.fromWeb>[0]);
  const unpacked = pipeline(source, createGunzip(), upTo(bytesMax), (pieces: AsyncIterable<Buffer>) =>
    feed(tar.stdin, pieces),
  );
  const [sent, code] = await Promise.allSettled([unpacked, exited]);
  if (code.status === 'rejected') throw code.reason;
  if (sent.status === 'rejected' && sent.reason instanceof TooLarge) throw sent.reason;
  if (code.value !== 0 || sent.status === 'rejected')
    throw new Error('The archive of the configuration cannot be unpacked.');
}

/** Writes to a command that may exit before it has read the padding at the end: its exit code says whether it had enough. */
async function feed(input: Writable, pieces: AsyncIterable<Buffer>): Promise<void> {
  input.on('error', () => {});
  try {
    for await (const piece of pieces) await new Promise<void>((resolve) => input.write(piece, () => resolve()));
  } finally {
    input.end();
  }
}

class TooLarge extends Error {}

function upTo(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > bytesMax) done(new TooLarge(`The configuration has more than ${bytesMax} bytes.`));
      else done(null, piece);
    },
  });
}
