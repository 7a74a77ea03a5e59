/** Line and column count from 1; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error in HCL or in the structure that was expected. The message starts with the position: `line 3, column 7: …`. */
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

/** The position of a character. It reads the text up to the character, so use it for errors only. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
