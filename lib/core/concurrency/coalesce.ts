export interface CoalesceLimits {
  readonly batchSizeMax: number;
  readonly batchesMax: number;
  /**
   * Beside a batch that began so recently, only a full one begins: few large batches cost less than many small ones, and one that
   * is held up holds up no other for longer. Absent: any batch begins at once.
   */
  readonly gatherMs?: number;
}

/**
 * Turns many concurrent single look-ups or changes into few batched ones. While `batchesMax` batches are in flight,
 * further inputs wait and go together in the next one; with no concurrency an input goes at once, alone. A result is
 * never kept: each call sees the store as it is at or after the time of the call.
 *
 * `run` gets the inputs in order and answers one output per input, in the same order. A batch that fails fails its
 * own callers only.
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
      // One turn of the event loop gathers what arrived together.
      setImmediate(start);
    });
}

/**
 * A batch that fails is done one by one, unless all would fail (`failsAll`, such as while the database is away): one input that
 * cannot be stored does not take the others along. Answers functions that answer, or throw what became of their own input.
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
        if (output === undefined) throw new Error('a batch of one answered nothing');
        return output;
      });
    }
  };
}
