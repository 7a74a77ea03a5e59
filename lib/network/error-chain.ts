/** Maximum number of errors examined in a chain, which may be a cycle. */
const chainLengthMax = 32;

/** The error and its causes: along `cause`, and the members of an AggregateError. */
export function errorChain(error: unknown): readonly Error[] {
  const chain = [error];
  for (const link of chain) {
    if (!(link instanceof Error)) continue;
    const next = link instanceof AggregateError ? [link.cause, ...link.errors] : [link.cause];
    chain.push(...next.slice(0, chainLengthMax - chain.length));
  }
  return chain.filter((link) => link instanceof Error);
}

/** Some SDKs build a new error that preserves only the code of the old one. */
export const hasCode = (error: Error, code: string): boolean => 'code' in error && error.code === code;
