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
