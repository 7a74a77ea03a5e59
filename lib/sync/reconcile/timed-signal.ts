/**
 * The signal of `controller`, which also aborts when it is asked for its state once `isOver` holds. A timer is not enough:
 * a process that was frozen handles the answers that came meanwhile before its timers, and would go on with the next request.
 *
 * It looks when `aborted` or `throwIfAborted` is read, which clients do before each request, or when a signal is derived from
 * it.
 */
export function timedSignal(controller: AbortController, isOver: () => boolean, reason: Error): AbortSignal {
  const { signal } = controller;
  let ended = signal.aborted;
  signal.addEventListener('abort', () => {
    ended = true;
  });
  const look = (): boolean => {
    if (!ended && isOver()) controller.abort(reason);
    return ended;
  };
  return Object.defineProperties(signal, {
    aborted: { get: look },
    throwIfAborted: {
      value: () => {
        if (look()) throw signal.reason;
      },
    },
  });
}
