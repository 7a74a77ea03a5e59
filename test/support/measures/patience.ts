/**
 * How long tests wait for an expected event, in milliseconds. No test measures these times. They end a test that hangs, and are long
 * enough for a busy machine.
 */
export const patience = {
  /** For a condition, an answer, or the start or end of a process. */
  conditionMs: 120_000,
  /** For a whole test or hook. */
  testMs: 300_000,
} as const;
