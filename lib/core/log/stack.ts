/** Number of stack frames in the location of an error. */
const framesMax = 3;

/**
 * Kind and location of a thrown value, as fields of a log line. The message is omitted, because it may quote unreadable input.
 */
export function errorLocation(thrown: unknown): { readonly error: string; readonly at?: string } {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  return { error: thrown.name, at: framesOf(thrown).slice(0, framesMax).join('').trim() };
}

/** The class of the error, and its code if Node adds one. */
const beforeMessage = /^[^\n:]*/;
const frame = /^ {4}at .+(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/**
 * The frames of an error's stack, innermost first. The stack repeats the message, and a line of the message may look like a frame,
 * so the message is cut off first. Empty when the stack begins with another message, because the message was changed later.
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
