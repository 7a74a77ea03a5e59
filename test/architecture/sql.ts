/** A source file. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/** The files that may claim the type of a row: they also check the claim under test. */
const checkers = new Set(['lib/store/sql/rows.ts', 'lib/store/sql/prepared.ts']);

/**
 * Row types that nothing checks: of a statement in text, of a `pg` query, of a cast or an aggregate of the builder, or of the type
 * that a statement is assigned to.
 */
const claims = /\bsql<|\.query<|\.executeQuery<|\$castTo<|\.countAll<|\bfn\.\w+<|\bRawBuilder<(?!unknown>)/g;

/**
 * Statements of the service whose row type is only claimed, as `path: count`. They are written with `rowsOf`, `asRows`,
 * `expressionOf` or `queryRows` instead, which state the columns once and check results against them under test.
 */
export function uncheckedStatements(sources: readonly Source[]): ReadonlyMap<string, number> {
  const counts = sources
    .filter(({ path }) => /^(lib|functions)\//.test(path) && !checkers.has(path))
    .map(({ path, text }) => [path, text.match(claims)?.length ?? 0] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}
