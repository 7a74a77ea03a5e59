import { text } from '#path/fields.ts';

const charactersMax = 1_024;

/** A text in the unchecked body of a login, as its row will parse it. Empty when it is missing or invalid. */
export function askedText(data: Readonly<Record<string, unknown>>, name: string): string {
  const read = text(charactersMax).safeParse(data[name]);
  return read.success ? read.data : '';
}

/** The role that a login names, in lower case. Undefined when it names none. */
export const askedRole = (data: Readonly<Record<string, unknown>>): string | undefined =>
  askedText(data, 'role').toLowerCase() || undefined;
