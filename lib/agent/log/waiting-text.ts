/** The size of a piece, and the most that `first` returns. */
export const pieceBytes = 512 * 1024;
/** Pieces that are kept for use again. */
const sparesMax = 3;

interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What has been taken from it, and what has been written to it. */
  from: number;
  to: number;
}

/** Text that waits to be sent, as UTF-8 in pieces of a fixed size: adding and taking it copies nothing else, and memory is used again. */
export class WaitingText {
  readonly #pieces: Piece[] = [];
  readonly #spares: Uint8Array<ArrayBuffer>[] = [];
  readonly #encoder = new TextEncoder();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(text: string): void {
    for (let rest = text; rest !== ''; ) {
      const piece = this.#last();
      const { read, written } = this.#encoder.encodeInto(rest, piece.bytes.subarray(piece.to));
      // The next character does not fit into what is left of the piece.
      if (read === 0) this.#begin();
      piece.to += written;
      this.#bytes += written;
      rest = rest.slice(read);
    }
  }

  /** The oldest bytes. They stay as they are until they are dropped; empty: nothing waits. */
  first(): Uint8Array<ArrayBuffer> {
    const [piece] = this.#pieces;
    return piece === undefined ? new Uint8Array(0) : piece.bytes.subarray(piece.from, piece.to);
  }

  /** Drops this many of the oldest bytes, at most as many as `first` returned. */
  drop(count: number): void {
    const [piece] = this.#pieces;
    if (piece === undefined) return;
    piece.from += count;
    this.#bytes -= count;
    if (piece.from < piece.to) return;
    this.#pieces.shift();
    if (this.#spares.length < sparesMax) this.#spares.push(piece.bytes);
  }

  #last(): Piece {
    return this.#pieces.at(-1) ?? this.#begin();
  }

  #begin(): Piece {
    const piece = { bytes: this.#spares.pop() ?? new Uint8Array(pieceBytes), from: 0, to: 0 };
    this.#pieces.push(piece);
    return piece;
  }
}
