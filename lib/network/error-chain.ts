/** Errors looked at in a chain; a longer one, or a cycle, ends here. */
const chainLengthMax = 32;

/** The error and those behind it: along `cause`, and the members of an AggregateError. */
export function errorChain(error: unknown): readonly Error[] {
  const chain = [error];
  for (const link of chain) {
    if (!(link instanceof Error)) continue;
    const next = link instanceof AggregateError ? [link.cause, ...link.errors] : [link.cause];
    chain.push(...next.slice(0, chainLengthMax - chain.length));
  }
  return chain.filter((link) => link instanceof Error);
}

/** Some SDKs build a new error and keep nothing of the old one but its code. */
export const hasCode = (error: Error, code: string): boolean => 'code' in error && error.code === code;
