import { z } from 'zod';
/** Plaintext bytes of a chunk; the last one may be shorter. */
export const chunkBytes = 256 * 1024;

/** Size limit of a state, a configuration or a log. */
export const blobBytesMax = 256 * 1024 * 1024;

/** The additional authenticated data of a chunk binds it to its position; the ending records the number of chunks. */
export const chunkName = (blobId: string, position: number): string => `ws_blob_chunks/${blobId}/${position}`;
export const endingName = (blobId: string): string => `ws_blobs/${blobId}`;

/** The content of the ending of a file: hexadecimal hashes and the size in bytes. */
export type Ending = z.infer<typeof storedEnding>;

export const storedEnding = z
  .object({ chunks: z.number(), bytes: z.number(), md5: z.string(), sha256: z.string() })
  .readonly();
