import { type Readable, Transform } from 'node:stream';
import { StrangeAnswer } from './strange-answer.ts';

/** Maximum size of one reply in bytes, after decompression. */
export const answerBytesMax = 1024 * 1024;
/** Maximum size in bytes of a reply that lists objects with their values. */
export const listingBytesMax = 64 * 1024 * 1024;

const tooLarge = (bytesMax: number) => new StrangeAnswer(`it has more than ${bytesMax} bytes`);

/** Counts the bytes of one reply. @throws StrangeAnswer when there are too many */
export function byteCounter(bytesMax = answerBytesMax): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > bytesMax) throw tooLarge(bytesMax);
  };
}

/** The same stream, which fails and closes its connection when it exceeds the limit. */
export function boundedStream(stream: Readable, bytesMax = answerBytesMax): Readable {
  const count = byteCounter(bytesMax);
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count(chunk.byteLength);
        done(null, chunk);
      } catch (error) {
        stream.destroy();
        done(error instanceof Error ? error : new StrangeAnswer('it cannot be read'));
      }
    },
  });
  stream.on('error', (error) => bounded.destroy(error));
  stream.once('close', () => {
    if (!stream.readableEnded) bounded.destroy();
  });
  return stream.pipe(bounded);
}

/** Reads the whole body. After a failure the connection is closed. */
export async function readBounded(response: Response, bytesMax = answerBytesMax): Promise<Uint8Array<ArrayBuffer>> {
  const count = byteCounter(bytesMax);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    count(chunk.byteLength);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
