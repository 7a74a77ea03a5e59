/** Both counted from 1; a column is a UTF-16 unit. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A text that is not HCL, or not what was expected. Its message begins with the position: `line 3, column 7: …`. */
export class HclError extends Error {
  readonly problem: string;
  readonly at: Position;

  constructor(problem: string, at: Position) {
    super(`line ${at.line}, column ${at.column}: ${problem}`);
    this.name = 'HclError';
    this.problem = problem;
    this.at = at;
  }
}

/** The position of a character. It reads the text up to there, so it is for errors and for a few marked positions. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
