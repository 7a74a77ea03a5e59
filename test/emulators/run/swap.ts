/**
 * Lets the suites of the contract, as they are, find another list of types and other stand-ins: instead of the two modules
 * by which they find them, they get those in `swapped/`.
 */
export function swap() {
  return {
    name: 'swap',
    enforce: 'pre' as const,
    resolveId(source: string, importer: string | undefined): string | undefined {
      if (importer === undefined || !importer.includes('/test/contract/')) return undefined;
      const file = /^(?:\.\.\/)+lib\/destinations\/(index|load)\.ts$/.exec(source)?.[1];
      return file === undefined ? undefined : new URL(`swapped/${file}.ts`, import.meta.url).pathname;
    },
  };
}
