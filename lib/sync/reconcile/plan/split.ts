import { isAway } from '../../../store/postgres/failure.ts';

/**
 * A batch that fails is done one by one, unless the database is away: one input that cannot be stored does not take the others
 * along. Answers functions that answer, or throw what became of their own input.
 */
export function splitting<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (inputs: readonly Input[]) => Promise<readonly (() => Output)[]> {
  return async (inputs) => {
    try {
      return (await run(inputs)).map((output) => () => output);
    } catch (cause) {
      if (inputs.length === 1 || isAway(cause)) throw cause;
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
