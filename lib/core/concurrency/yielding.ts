/** How long one piece of work may hold the event loop, in milliseconds. */
const turnMs = 8;

/** There is one event loop, so there is one queue for it. */
const waiting: (() => void)[] = [];

/**
 * Waits until it is one's turn. Who works long takes turns: in each round of the event loop one of them goes on, however
 * many there are, and everything else is done in between.
 */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serve);
  });
}

function serve(): void {
  const go = waiting.shift();
  if (waiting.length > 0) setImmediate(serve);
  go?.();
}

/** Does steps, each of them short, until one says that it was the last; begins with a turn of its own. */
export async function inSlices(step: () => boolean): Promise<void> {
  for (;;) {
    await yieldToOthers();
    const end = performance.now() + turnMs;
    do if (step()) return;
    while (performance.now() < end);
  }
}

/** Work that can be interrupted at each `yield`, and its outcome. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of it at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does it in slices. What is short is done at once, without waiting for a turn. */
export async function stepByStep<T>(steps: Steps<T>): Promise<T> {
  let last: IteratorResult<undefined, T>;
  const end = performance.now() + turnMs;
  do last = steps.next();
  while (last.done !== true && performance.now() < end);
  while (last.done !== true) {
    await yieldToOthers();
    const turnEnd = performance.now() + turnMs;
    do last = steps.next();
    while (last.done !== true && performance.now() < turnEnd);
  }
  return last.value;
}
