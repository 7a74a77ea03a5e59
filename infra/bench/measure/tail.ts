import type { Readable } from 'node:stream';

/** The end of a log shows why a process failed. */
const charactersMax = 8_192;

/** Reads what a process writes and keeps the end of it, at most 8,192 characters for each stream. */
export function tailOf(streams: readonly (Readable | null)[]): () => string {
  const tails = streams.map((stream) => {
    const tail = { text: '' };
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      tail.text = (tail.text + piece).slice(-charactersMax);
    });
    return tail;
  });
  return () => tails.map(({ text }) => text).join('');
}
