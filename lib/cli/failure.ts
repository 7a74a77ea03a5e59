/** The exit codes of the program, which scripts rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  differences: 3,
  token: 4,
  sealed: 5,
  someFailed: 6,
  timedOut: 7,
  interrupted: 130,
} as const;

export type Exit = keyof typeof exitCodes;

/** Ends a command. The message says what happened, `next` is a command that helps. */
export class CommandFailure extends Error {
  readonly exit: Exit;
  readonly next: string;

  constructor(exit: Exit, message: string, next: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exit = exit;
    this.next = next;
  }
}

/** A command line that cannot be carried out. `verb` is the one whose help explains it. */
export const usage = (message: string, verb: string): CommandFailure =>
  new CommandFailure('usage', message, `keyferry ${verb} --help`.replace('  ', ' '));
