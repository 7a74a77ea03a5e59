/** How long one slice of work may block the event loop, in milliseconds. */
const turnMs = 8;

/** One queue, because there is one event loop. */
const waiting: (() => void)[] = [];

/**
 * Waits for the caller's turn. Long-running work takes turns: each round of the event loop lets one caller continue, however many
 * there are, and handles everything else in between.
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

/** Runs short steps until one reports that it was the last. Waits for a turn before the first. */
export async function inSlices(step: () => boolean): Promise<void> {
  for (;;) {
    await yieldToOthers();
    const end = performance.now() + turnMs;
    do if (step()) return;
    while (performance.now() < end);
  }
}

/** Work that can be interrupted at each `yield`, and its result. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all of it without interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs it in slices. Short work completes at once, without waiting for a turn. */
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
