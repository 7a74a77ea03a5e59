const replaced = /^#destinations\/(index|load)\.ts$/;

/**
 * Gives the unchanged suites of the contract another list of types and other stand-ins, by replacing the two modules that they
 * import by those in `swapped/`. `missing` names the modules that no suite has imported: the suites would test our own stand-ins.
 */
export function swap() {
  const missing = new Set(['index', 'load']);
  return {
    missing,
    plugin: {
      name: 'swap',
      enforce: 'pre' as const,
      resolveId(source: string, importer: string | undefined): string | undefined {
        if (importer === undefined || !importer.includes('/test/contract/')) return undefined;
        const file = replaced.exec(source)?.[1];
        if (file === undefined) return undefined;
        missing.delete(file);
        return new URL(`swapped/${file}.ts`, import.meta.url).pathname;
      },
    },
  };
}
