import { spawn } from 'node:child_process';
import { Readable, Transform } from 'node:stream';
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
  const [sent, code] = await Promise.allSettled([pipeline(source, createGunzip(), upTo(bytesMax), tar.stdin), exited]);
  if (code.status === 'rejected') throw code.reason;
  if (sent.status === 'rejected' && sent.reason instanceof TooLarge) throw sent.reason;
  if (code.value !== 0 || sent.status === 'rejected')
    throw new Error('The archive of the configuration cannot be unpacked.');
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
