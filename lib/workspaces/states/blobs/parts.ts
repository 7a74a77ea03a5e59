/** What a chunk holds in the clear; the last one may hold less. */
export const chunkBytes = 256 * 1024;

/** Of a state, a configuration or a log. */
export const blobBytesMax = 256 * 1024 * 1024;

/** The additional data of a chunk binds it to its place, and the ending tells how many places there are. */
export const chunkName = (blobId: string, position: number): string => `ws_blob_chunks/${blobId}/${position}`;
export const endingName = (blobId: string): string => `ws_blobs/${blobId}`;

/** What the ending of a file says, in hexadecimal digits and bytes. */
export interface Ending {
  readonly chunks: number;
  readonly bytes: number;
  readonly md5: string;
  readonly sha256: string;
}
