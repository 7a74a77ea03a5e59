/**
 * How long tests wait for what has to come, in milliseconds. No test is about these times: they end one that hangs, and are
 * so long that a machine which does much else at the same time does not reach them.
 */
export const patience = {
  /** For a condition, an answer, the start or the end of a process. */
  conditionMs: 120_000,
  /** For a whole test, or what goes before and after it. */
  testMs: 300_000,
} as const;
