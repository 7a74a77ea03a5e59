/** The end of a request before its answer: the client has gone or the time is over. */
export class Ending {
  readonly #onClose: (gone: () => void) => void;
  #controller: AbortController | undefined;
  #ended = false;

  constructor(onClose: (gone: () => void) => void) {
    this.#onClose = onClose;
  }

  /** Most handlers never look at the signal, so it is made, and the connection watched, when it is first taken. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort();
      else this.#onClose(() => this.end());
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#ended = true;
    this.#controller?.abort();
  }
}
