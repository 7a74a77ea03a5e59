const newline = 0x0a;

/** A line with its end, and where the next one begins. */
export interface Line {
  readonly text: string;
  readonly end: number;
}

/** Cuts bytes into lines, whatever their split; of an unfinished line it keeps at most `bytesMax`. */
export class Lines {
  readonly #bytesMax: number;
  #unfinished = '';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The line that ends next at or after `from`, as Latin-1; `more`: it has not ended; `too-long`: it is given up. */
  next(bytes: Buffer, from: number): Line | 'more' | 'too-long' {
    const at = bytes.indexOf(newline, from);
    const end = at < 0 ? bytes.length : at + 1;
    if (this.#unfinished.length + end - from > this.#bytesMax) return 'too-long';
    const text = this.#unfinished + bytes.toString('latin1', from, end);
    this.#unfinished = at < 0 ? text : '';
    return at < 0 ? 'more' : { text, end };
  }
}
