import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A configuration archive as clients create it. */
export async function packed(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return gzipSync(Buffer.concat(pieces));
}
