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
  limits: { readonly batchSizeMax: number; readonly batchesMax: number },
): (input: Input) => Promise<Output> {
  type Waiting = { input: Input; resolve: (output: Output) => void; reject: (cause: unknown) => void };
  let waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;

  async function flush(batch: Waiting[]): Promise<void> {
    underWay += 1;
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
    while (waiting.length > 0 && underWay < limits.batchesMax) {
      const batch = waiting.slice(0, limits.batchSizeMax);
      waiting = waiting.slice(limits.batchSizeMax);
      void flush(batch);
    }
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
