/** Receives the description of a mismatch between a result and its statement; the text contains no values. */
export type Report = (mismatch: string) => void;

let reportTo: Report | undefined;

/**
 * From now on, results are checked against the columns that their statements declare; a mismatch is reported and thrown.
 * Statements that were built earlier stay unchecked, so a test run calls this before it loads anything else. A service never
 * calls it.
 */
export function checkRows(report: Report): void {
  reportTo = report;
}

/** Undefined when results are not checked. */
export const checking = (): Report | undefined => reportTo;
