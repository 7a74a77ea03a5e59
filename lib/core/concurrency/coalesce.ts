export interface CoalesceLimits {
  readonly batchSizeMax: number;
  readonly batchesMax: number;
  /**
   * While another batch is younger than this, only a full batch starts: a few large batches cost less than many small ones, and a
   * slow batch delays the next by no more than this. Absent: every batch starts at once.
   */
  readonly gatherMs?: number;
}

/**
 * Combines concurrent single lookups or changes into batches. While `batchesMax` batches are in flight, further inputs wait and
 * form the next batch; without concurrency an input is sent at once, alone. Results are never cached: each call sees the store
 * as it is at or after the time of the call.
 *
 * `run` gets the inputs in order and returns one output per input, in the same order. A failing batch fails only its own callers.
 */
export function coalesce<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  { batchSizeMax, batchesMax, gatherMs = 0 }: CoalesceLimits,
): (input: Input) => Promise<Output> {
  type Waiting = { input: Input; resolve: (output: Output) => void; reject: (cause: unknown) => void };
  let waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;
  let begunAt = 0;
  let timed = false;

  async function flush(batch: Waiting[]): Promise<void> {
    underWay += 1;
    begunAt = performance.now();
    try {
      const outputs = await run(batch.map((entry) => entry.input));
      batch.forEach((entry, index) => {
        if (index < outputs.length) entry.resolve(outputs[index] as Output);
        else entry.reject(new Error('coalesce: the batch answered fewer outputs than inputs'));
      });
    } catch (cause) {
      for (const entry of batch) entry.reject(cause);
    } finally {
      underWay -= 1;
      start();
    }
  }

  function start(): void {
    scheduled = false;
    while (waiting.length > 0 && underWay < batchesMax && mayBegin()) {
      const batch = waiting.slice(0, batchSizeMax);
      waiting = waiting.slice(batchSizeMax);
      void flush(batch);
    }
    if (timed || waiting.length === 0 || underWay === batchesMax) return;
    timed = true;
    setTimeout(startLate, gatherMs);
  }

  const mayBegin = () => underWay === 0 || waiting.length >= batchSizeMax || performance.now() - begunAt >= gatherMs;

  function startLate(): void {
    timed = false;
    start();
  }

  return (input) =>
    new Promise<Output>((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // One turn of the event loop collects the inputs that arrived together.
      setImmediate(start);
    });
}

/**
 * Repeats a failed batch input by input, so that one invalid input does not fail the others, unless all would fail (`failsAll`,
 * for instance while the database is unavailable). Returns functions that return the result of their own input or throw its error.
 */
export function splitting<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  failsAll: (cause: unknown) => boolean,
): (inputs: readonly Input[]) => Promise<readonly (() => Output)[]> {
  return async (inputs) => {
    try {
      return (await run(inputs)).map((output) => () => output);
    } catch (cause) {
      if (inputs.length === 1 || failsAll(cause)) throw cause;
      const settled = await Promise.allSettled(inputs.map((input) => run([input])));
      return settled.map((one) => () => {
        if (one.status === 'rejected') throw one.reason;
        const [output] = one.value;
        if (output === undefined) throw new Error('a batch of one input returned no output');
        return output;
      });
    }
  };
}
