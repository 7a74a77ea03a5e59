/** Frames in the location of an error, which is one field of a line. */
const framesMax = 3;

/**
 * Kind and location of whatever was thrown, as fields of a log line. The message is left out, since it may quote what could not be
 * read.
 */
export function errorLocation(thrown: unknown): { readonly error: string; readonly at?: string } {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  return { error: thrown.name, at: framesOf(thrown).slice(0, framesMax).join('').trim() };
}

/** The class of the error and its code, where Node adds one. */
const beforeMessage = /^[^\n:]*/;
const frame = /^ {4}at .+(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/**
 * The lines of an error's stack that say where it came from, the innermost first. The stack repeats the message, and a line of a
 * message may look like a frame: so the message is cut off first. None where the stack begins with another message, as it may
 * when the message was changed later.
 */
export function framesOf({ stack = '', message }: Error): readonly string[] {
  const name = beforeMessage.exec(stack)?.[0] ?? '';
  const head = message === '' ? `${name}\n` : `${name}: ${message}\n`;
  if (!stack.startsWith(head)) return [];
  return stack
    .slice(head.length)
    .split('\n')
    .filter((line) => frame.test(line));
}
