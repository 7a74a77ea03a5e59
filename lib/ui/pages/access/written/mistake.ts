import { CallFailure } from '#client/wire/failure.ts';

/** Where the parser of policies, or of password policies, stopped. Line and column count from 1. */
export interface Mistake {
  readonly text: string;
  readonly line: number | undefined;
  readonly column: number;
}

/** What a refusal says of the text of a policy. Undefined when it is about something else. */
export function mistakeOf(cause: unknown): Mistake | undefined {
  if (!(cause instanceof CallFailure)) return undefined;
  const found = cause.problems.find(({ field }) => field === 'policy');
  return found && mistakeIn(found.message);
}

export function mistakeIn(message: string): Mistake {
  const text = message.replace(/^failed to parse (?:password )?policy: /, '');
  const [, line, column] = /^line (\d+), column (\d+):/.exec(text) ?? [];
  return line === undefined
    ? { text, line: undefined, column: 1 }
    : { text, line: Number(line), column: Number(column) };
}

/** The offset of a line and column in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(start + column - 1, text.length);
}
