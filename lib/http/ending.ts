/** The end of a request before its answer: the client has gone or the time is over. */
export interface Ending {
  readonly signal: AbortSignal;
  end(): void;
}

/** Most handlers never look at the signal, so it is made, and the connection watched, when it is first taken. */
export function createEnding(onClose: (gone: () => void) => void): Ending {
  let controller: AbortController | undefined;
  let ended = false;
  const end = () => {
    ended = true;
    controller?.abort();
  };
  return {
    end,
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (ended) controller.abort();
        else onClose(end);
      }
      return controller.signal;
    },
  };
}
